[(problem) (block) (vertex_functor) (edge_functor) (common_functor) (vote_functor) (tune) (lambda_block)] @indent
"}" @outdent
