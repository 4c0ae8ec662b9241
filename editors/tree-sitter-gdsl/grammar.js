// Generated from grammar/gdsl.lark by `python -m editors.make`.

module.exports = grammar({
  name: 'gdsl',

  word: $ => $.identifier,

  extras: $ => [/\s/, $.comment],

  rules: {
    source_file: $ => seq(optional($.doc_comment), optional(seq('program', $.identifier, ';')), repeat($._part)),

    _part: $ => choice(
      $.requires,
      $.problem,
      $._type_declaration,
      $.vertex_functor,
      $.edge_functor,
      $.common_functor,
      $.vote_functor,
      $.function,
      $.reduction_operator,
      $.procedure,
      $.import_part,
      $.schedule,
      $.tune,
    ),

    import_part: $ => seq('import', $.identifier, repeat(seq(',', $.identifier)), 'from', $.string, ';'),

    requires: $ => seq('requires', $.identifier, repeat(seq(',', $.identifier)), ';'),

    problem: $ => seq('problem', '{', repeat(choice($.declaration, $._type_declaration)), '}'),

    type_parameter: $ => seq('type', $.identifier, ':', $.identifier, '=', $._type, ';'),

    type_alias: $ => seq('type', $.identifier, '=', $._type, ';'),

    widened_type: $ => seq('type', $.identifier, '=', $.identifier, '(', $._type, ')', ';'),

    _type_declaration: $ => choice($.type_parameter, $.type_alias, $.widened_type),

    declaration: $ => seq(
      repeat(choice('input', 'local')),
      choice('param', 'vertex', 'edge', 'scalar'),
      $.identifier,
      optional($.extent),
      ':',
      $._type,
      optional(seq('=', $._expression)),
      optional(seq('where', $._expression)),
      ';',
    ),

    extent: $ => seq('[', $._expression, ']'),

    type_name: $ => choice($.identifier, 'vertex', 'edge'),

    vertex_set: $ => seq('vertex', 'set'),

    pair_type: $ => seq('(', $._type, ',', $._type, ')'),

    _type: $ => choice($.type_name, $.vertex_set, $.pair_type),

    vertex_functor: $ => seq(
      'vertex',
      'functor',
      $.identifier,
      '(',
      $.identifier,
      ')',
      '{',
      repeat($._functor_item),
      '}',
    ),

    edge_functor: $ => seq(
      'edge',
      'functor',
      $.identifier,
      '(',
      $.identifier,
      ',',
      $.identifier,
      ',',
      $.identifier,
      ')',
      optional(seq('->', $._type)),
      '{',
      repeat($._functor_item),
      '}',
    ),

    common_functor: $ => seq(
      'common',
      'functor',
      $.identifier,
      '(',
      $.functor_parameters,
      ')',
      '{',
      repeat($._functor_item),
      '}',
    ),

    vote_functor: $ => seq(
      'vote',
      'functor',
      $.identifier,
      '(',
      $.functor_parameters,
      ')',
      '->',
      $._type,
      '{',
      repeat($._functor_item),
      '}',
    ),

    functor_parameters: $ => seq($.identifier, repeat(seq(',', $.identifier))),

    condition: $ => seq('cond', $._expression, ';'),

    apply: $ => seq('apply', $.block),

    value: $ => seq('value', $._expression, ';'),

    _functor_item: $ => choice($.condition, $.apply, $.value),

    function: $ => seq(
      'function',
      $.identifier,
      '(',
      optional(seq($.function_parameter, repeat(seq(',', $.function_parameter)))),
      ')',
      '->',
      $._type,
      $._body,
    ),

    function_parameter: $ => seq($.identifier, ':', $._type),

    procedure: $ => seq(
      'procedure',
      $.identifier,
      '(',
      optional(seq($._procedure_parameter, repeat(seq(',', $._procedure_parameter)))),
      ')',
      $._body,
    ),

    procedure_parameter: $ => seq($.identifier, ':', optional(choice('vertex', 'edge')), $._type),

    frontier_parameter: $ => seq($.identifier, ':', 'frontier'),

    frontier_parameter_2: $ => seq($.identifier, ':', 'edge', 'frontier'),

    _procedure_parameter: $ => choice(
      $.procedure_parameter,
      $.frontier_parameter,
      alias($.frontier_parameter_2, $.frontier_parameter),
    ),

    reduction_operator: $ => seq(
      'operator',
      $.identifier,
      '(',
      $.function_parameter,
      ',',
      $.function_parameter,
      ')',
      '->',
      $._type,
      'identity',
      $._expression,
      $._body,
    ),

    schedule: $ => seq('schedule', $._body),

    block: $ => seq('{', repeat($._statement), '}'),

    _body: $ => $.block,

    let: $ => seq('let', $.identifier, optional(seq(':', $._type)), '=', $._expression, ';'),

    let_2: $ => seq('var', $.identifier, optional(seq(':', $._type)), '=', $._expression, ';'),

    assign: $ => seq($._expression, '=', $._expression, ';'),

    assign_2: $ => seq($._expression, 'any=', $._expression, ';'),

    update_statement: $ => seq(
      $._expression,
      choice('min=', 'max=', '+=', '-=', '*=', '&=', '|=', '^='),
      $._expression,
      ';',
    ),

    short_assign: $ => seq($._expression, choice('/=', '//=', '%=', '<<=', '>>='), $._expression, ';'),

    expression_statement: $ => seq($._expression, ';'),

    accept: $ => seq('accept', $._expression, ';'),

    for_range: $ => seq('for', $.identifier, 'in', $._expression, '..', $._expression, $.block),

    for_in: $ => seq('for', $.identifier, optional(seq(',', $.identifier)), 'in', $._expression, $.block),

    while_loop: $ => seq('while', '(', $._expression, ')', $.block),

    repeat: $ => seq('repeat', '(', $._expression, ')', $.block),

    break_loop: $ => seq('break', ';'),

    return_value: $ => seq('return', $._expression, ';'),

    frontier: $ => seq('frontier', $.identifier, optional(seq('=', $._expression)), ';'),

    edge_frontier: $ => seq('edge', 'frontier', $.identifier, optional(seq('=', $._expression)), ';'),

    graph: $ => seq('graph', $.identifier, optional(seq('=', $._expression)), ';'),

    history: $ => seq('history', $.identifier, ';'),

    buckets: $ => seq(
      'buckets',
      $.identifier,
      '(',
      optional($.arguments),
      ')',
      optional(seq('=', $._expression)),
      ';',
    ),

    on: $ => seq('on', $.identifier, $.block),

    _statement: $ => choice(
      $.let,
      alias($.let_2, $.let),
      $.assign,
      alias($.assign_2, $.assign),
      $.update_statement,
      $.short_assign,
      $.expression_statement,
      $.accept,
      $.if_statement,
      $.for_range,
      $.for_in,
      $.while_loop,
      $.repeat,
      $.break_loop,
      $.return_value,
      $.frontier,
      $.edge_frontier,
      $.graph,
      $.history,
      $.buckets,
      $.on,
    ),

    if_statement: $ => seq(
      'if',
      '(',
      $._expression,
      ')',
      $.block,
      optional(seq('else', choice($.block, $.if_statement))),
    ),

    conditional: $ => seq($._logical_or, '?', $._expression, ':', $._expression),

    _expression: $ => choice($._logical_or, $.conditional),

    binary: $ => seq($._logical_and, repeat1(seq('||', $._logical_and))),

    _logical_or: $ => choice($._logical_and, $.binary),

    binary_2: $ => seq($._bit_or, repeat1(seq('&&', $._bit_or))),

    _logical_and: $ => choice($._bit_or, alias($.binary_2, $.binary)),

    binary_3: $ => seq($._bit_xor, repeat1(seq('|', $._bit_xor))),

    _bit_or: $ => choice($._bit_xor, alias($.binary_3, $.binary)),

    binary_4: $ => seq($._bit_and, repeat1(seq('^', $._bit_and))),

    _bit_xor: $ => choice($._bit_and, alias($.binary_4, $.binary)),

    binary_5: $ => seq($._equality, repeat1(seq('&', $._equality))),

    _bit_and: $ => choice($._equality, alias($.binary_5, $.binary)),

    binary_6: $ => seq($._relation, repeat1(seq(choice('==', '!='), $._relation))),

    _equality: $ => choice($._relation, alias($.binary_6, $.binary)),

    binary_7: $ => seq($._shift, repeat1(seq(choice('<=', '>=', '<', '>'), $._shift))),

    _relation: $ => choice($._shift, alias($.binary_7, $.binary)),

    binary_8: $ => seq($._sum, repeat1(seq(choice('<<', '>>'), $._sum))),

    _shift: $ => choice($._sum, alias($.binary_8, $.binary)),

    binary_9: $ => seq($._product, repeat1(seq(choice('+', '-'), $._product))),

    _sum: $ => choice($._product, alias($.binary_9, $.binary)),

    binary_10: $ => seq($._unary, repeat1(seq(choice('*', '/', '//', '%'), $._unary))),

    _product: $ => choice($._unary, alias($.binary_10, $.binary)),

    unary: $ => seq(choice('-', '!', '~'), $._unary),

    now: $ => seq('now', $._postfix),

    _unary: $ => choice($._postfix, $.unary, $.now),

    index: $ => seq($._postfix, '[', $._expression, ']'),

    pair_part: $ => seq($._postfix, '.', $.integer),

    member: $ => seq($._postfix, '.', $.identifier),

    method: $ => seq($._postfix, '.', $.identifier, '(', optional($.arguments), ')'),

    call: $ => seq($.identifier, '(', optional($.arguments), ')', optional(seq('@', $.identifier))),

    update_value: $ => seq(
      'changed',
      '(',
      $._expression,
      choice('min=', 'max=', '+=', '-=', '*=', '&=', '|=', '^='),
      $._expression,
      ')',
    ),

    update_value_2: $ => seq(
      'fetch',
      '(',
      $._expression,
      choice('min=', 'max=', '+=', '-=', '*=', '&=', '|=', '^='),
      $._expression,
      ')',
    ),

    compare_and_swap: $ => seq('cas', '(', $._expression, ',', $._expression, ',', $._expression, ')'),

    _postfix: $ => choice(
      $._primary,
      $.index,
      $.pair_part,
      $.member,
      $.method,
      $.call,
      $.update_value,
      alias($.update_value_2, $.update_value),
      $.compare_and_swap,
    ),

    name: $ => $.identifier,

    integer: $ => /[0-9]+/,

    hexadecimal: $ => /0[xX][0-9a-fA-F]+/,

    float: $ => /[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+/,

    boolean: $ => 'true',

    boolean_2: $ => 'false',

    infinity: $ => 'inf',

    none: $ => 'none',

    parenthesized: $ => seq('(', $._expression, ')'),

    pair: $ => seq('(', $._expression, ',', $._expression, ')'),

    set_literal: $ => seq('{', optional(seq($._expression, repeat(seq(',', $._expression)))), '}'),

    _primary: $ => choice(
      $.name,
      $.integer,
      $.hexadecimal,
      $.float,
      $.boolean,
      alias($.boolean_2, $.boolean),
      $.infinity,
      $.none,
      $.parenthesized,
      $.pair,
      $.set_literal,
    ),

    arguments: $ => seq($._argument, repeat(seq(',', $._argument))),

    argument: $ => $._expression,

    keyword_argument: $ => seq($.identifier, '=', $._expression),

    lambda_argument: $ => seq($.identifier, '=>', $._lambda_body),

    lambda_argument_2: $ => seq('(', $._expression, ')', '=>', $._lambda_body),

    lambda_argument_3: $ => seq('(', $._expression, ',', $._expression, ')', '=>', $._lambda_body),

    lambda_argument_4: $ => seq('(', $._expression, ',', $._expression, ',', $._expression, ')', '=>', $._lambda_body),

    lambda_argument_5: $ => seq(
      '(',
      $._expression,
      ',',
      $._expression,
      ',',
      $._expression,
      ',',
      $._expression,
      ',',
      $._expression,
      ',',
      $._expression,
      ')',
      '=>',
      $._lambda_body,
    ),

    _argument: $ => choice(
      $.argument,
      $.keyword_argument,
      $.lambda_argument,
      alias($.lambda_argument_2, $.lambda_argument),
      alias($.lambda_argument_3, $.lambda_argument),
      alias($.lambda_argument_4, $.lambda_argument),
      alias($.lambda_argument_5, $.lambda_argument),
    ),

    lambda_body: $ => $._expression,

    lambda_block: $ => seq('{', repeat1($._lambda_item), '}'),

    _lambda_body: $ => choice($.lambda_body, $.lambda_block),

    _lambda_item: $ => choice($._functor_item, $._statement),

    tune: $ => seq('tune', '{', repeat(seq($._tune_entry, ';')), '}'),

    tune_entry: $ => seq($.tune_subject, '=', $.tune_value),

    tune_switch: $ => seq($.identifier, 'on'),

    tune_switch_2: $ => seq($.identifier, 'off'),

    tune_switch_3: $ => seq($.identifier, $.identifier),

    _tune_entry: $ => choice(
      $.tune_entry,
      $.tune_switch,
      alias($.tune_switch_2, $.tune_switch),
      alias($.tune_switch_3, $.tune_switch),
    ),

    tune_subject: $ => choice(
      seq($.identifier, optional(seq('.', $.identifier))),
      seq('@', $.identifier, '.', $.identifier),
    ),

    tune_value: $ => seq($._knob_value, optional(seq('(', $.knob_argument, repeat(seq(',', $.knob_argument)), ')'))),

    knob_argument: $ => seq($.identifier, '=', $._knob_value),

    knob_word: $ => $.identifier,

    knob_word_2: $ => 'on',

    knob_number: $ => $.integer,

    knob_number_2: $ => $.float,

    _knob_value: $ => choice(
      $.knob_word,
      alias($.knob_word_2, $.knob_word),
      $.knob_number,
      alias($.knob_number_2, $.knob_number),
    ),

    identifier: $ => /[A-Za-z_][A-Za-z_0-9]*/,

    doc_comment: $ => /"""([^"]|"[^"]|""[^"])*"""/,

    string: $ => /"[^"\n]+"/,

    comment: $ => /#[^\n]*/,
  },
});
