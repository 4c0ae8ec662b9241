[(problem) (block) (vertex_functor) (edge_functor) (common_functor) (vote_functor) (tune) (doc_comment)] @fold
