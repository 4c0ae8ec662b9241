; Later patterns win in Neovim and Helix, earlier ones elsewhere; none of these depends on the order.

(comment) @comment
(doc_comment) @comment.documentation
(string) @string
[(integer) (hexadecimal)] @number
(float) @number.float
(boolean) @boolean
[(infinity) (none)] @constant.builtin

["if" "else"] @keyword.conditional
["for" "in" "while" "repeat" "break"] @keyword.repeat
["return" "accept"] @keyword.return
["import" "from"] @keyword.import
["function" "functor" "operator" "procedure"] @keyword.function
["program" "requires" "problem" "schedule" "tune" "cond" "apply" "value" "where" "identity" "let" "var" "now" "on" "off"
 "common" "vote" "type" "set" "changed" "fetch" "cas"] @keyword
["param" "input" "local" "vertex" "edge" "scalar" "frontier" "graph" "history" "buckets"] @type.builtin

["=" "any=" "min=" "max=" "+=" "-=" "*=" "&=" "|=" "^=" "/=" "//=" "%=" "<<=" ">>=" "||" "&&" "|" "^" "&" "==" "!="
 "<=" ">=" "<" ">" "<<" ">>" "+" "-" "*" "/" "//" "%" "!" "~" "?" "=>" "->" ".."] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" "."] @punctuation.delimiter

("program" . (identifier) @module)
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

(declaration (identifier) @property)
(type_name (identifier) @type)
(type_parameter "type" . (identifier) @type.definition)
(type_alias "type" . (identifier) @type.definition)
(widened_type "type" . (identifier) @type.definition)

(call . (identifier) @function.call)
(call "@" (identifier) @label)
(method "." (identifier) @function.method.call)
(name (identifier) @variable)
