; Generated from tree-sitter-gdsl/queries by `python -m editors.make`.
; Later patterns win in Neovim and Helix, earlier ones elsewhere; none of these depends on the order.

(comment) @comment
(doc_comment) @comment.block.documentation
(string) @string
[(integer) (hexadecimal)] @constant.numeric.integer
(float) @constant.numeric.float
(boolean) @constant.builtin.boolean
[(infinity) (none)] @constant.builtin

["if" "else"] @keyword.control.conditional
["for" "in" "while" "repeat" "break"] @keyword.control.repeat
["return" "accept"] @keyword.control.return
["import" "from"] @keyword.control.import
["function" "functor" "operator" "procedure"] @keyword.function
["program" "requires" "problem" "schedule" "tune" "cond" "apply" "value" "where" "identity" "let" "var" "now" "on" "off"
 "common" "vote" "type" "set" "changed" "fetch" "cas"] @keyword
["param" "input" "local" "vertex" "edge" "scalar" "frontier" "graph" "history" "buckets"] @type.builtin

["=" "any=" "min=" "max=" "+=" "-=" "*=" "&=" "|=" "^=" "/=" "//=" "%=" "<<=" ">>=" "||" "&&" "|" "^" "&" "==" "!="
 "<=" ">=" "<" ">" "<<" ">>" "+" "-" "*" "/" "//" "%" "!" "~" "?" "=>" "->" ".."] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" "."] @punctuation.delimiter

("program" . (identifier) @namespace)
(vertex_functor "functor" . (identifier) @function)
(edge_functor "functor" . (identifier) @function)
(common_functor "functor" . (identifier) @function)
(vote_functor "functor" . (identifier) @function)
(function "function" . (identifier) @function)
(procedure "procedure" . (identifier) @function)
(reduction_operator "operator" . (identifier) @function)
(import_part (identifier) @function)

(vertex_functor "(" (identifier) @variable.parameter)
(edge_functor "(" (identifier) @variable.parameter)
(functor_parameters (identifier) @variable.parameter)
(function_parameter . (identifier) @variable.parameter)
(procedure_parameter . (identifier) @variable.parameter)
(frontier_parameter . (identifier) @variable.parameter)
(keyword_argument . (identifier) @variable.parameter)

(declaration (identifier) @variable.other.member)
(type_name (identifier) @type)
(type_parameter "type" . (identifier) @type)
(type_alias "type" . (identifier) @type)
(widened_type "type" . (identifier) @type)

(call . (identifier) @function)
(call "@" (identifier) @label)
(method "." (identifier) @function.method)
(name (identifier) @variable)
