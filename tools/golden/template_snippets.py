"""Small templates, each a use of one feature. make_template_golden.py renders them with jinja2."""

CONTEXT = {
    "s": "Hello, Wörld", "empty": "", "n": 7, "neg": -7, "x": 2.5, "yes": True, "no": False, "nothing": None,
    "words": ["b", "A", "c", "a"], "numbers": [3, 1, 2], "nested": [[1, 2], [3, [4]]],
    "d": {"b": 1, "A": 2, "items": 3, "key with space": {"z": None, "t": True}},
    "people": [{"name": "Ann", "age": 30, "pet": {"kind": "cat"}}, {"name": "bob", "age": 25}, {"name": "Cy", "age": 30}],
    "multi": "one\ntwo\n\n  three  \n", "quote": "it's \"q\" \\ \t\x01 é \u200b \U0001f600",
    "tree": [{"v": 1, "c": [{"v": 2, "c": [{"v": 3}]}, {"v": 4}]}, {"v": 5}],
    "html": "<b>&'\"</b>", "sharp": "straße ﬁ ΑΣ İ ǆ", "big": 9007199254740993, "tiny": 1e-7, "huge": 1e22, "tenth": 0.1,
}

EXPRESSIONS = """
1 + 2 * 3 - 4 / 2
7 // 2 ~ ' ' ~ (-7) // 2 ~ ' ' ~ 7 % 3 ~ ' ' ~ (-7) % 3 ~ ' ' ~ 7 % -3
2 ** 10 ~ ' ' ~ 2 ** -1 ~ ' ' ~ -2 ** 2 ~ ' ' ~ 2 ** 3 ** 2
7.5 // 2 ~ ' ' ~ -7.5 % 2 ~ ' ' ~ 1 / 3
1 / 0
1 % 0
1.0 // 0
1e3 ~ ' ' ~ 1.5e-10 ~ ' ' ~ 123456789012345680.0 ~ ' ' ~ 1e16 ~ ' ' ~ 0.0001 ~ ' ' ~ 0.00001
0x1F + 0b101 + 0o17 + 1_000
big ~ ' ' ~ tiny ~ ' ' ~ huge ~ ' ' ~ tenth ~ ' ' ~ x
true ~ none ~ false ~ True ~ None
1 == 1.0 and true == 1 and 'a' != 'b'
1 < 2 < 3 ~ ''
(1 < 2 > 3) ~ ' ' ~ (3 > 2 >= 2)
'a' < 'b' and [1, 2] < [1, 3] and (1,) < (1, 2)
'a' < 1
none < 1
not true or true
not (1 in [1]) or 2 not in [1, 2]
'ell' in s and 'b' in d and 3 in numbers and 'zz' not in s
1 in s
1 in nothing
1 in undefined_thing
n in [7] and [1, 2] in nested
(yes and 'left') ~ (no or 'right') ~ (empty or nothing)
'a' if yes
'a' if no
('a' if no) is undefined
'a' if no else 'b' if no else 'c'
s if n > 3 else 'small'
[1, 2.0, 'three', none, true, [4], (5,), {'k': 'v'}]
(1, 2) ~ () ~ (1,)
{'a': 1, 2: 'b', 'c': {'d': []}}
{'a': 1, 'a': 2}
{[1]: 2}
quote
[quote]
["it's", 'say "x"', "both ' and \\""]
['a\\nb', '\\x7f', '\\u00e9', '\\u200b', '\\U0001F600']
'\\t|\\x41|\\101|\\u00e9|\\q|\\\\'
'a' 'b' "c"
s[0] ~ s[-1] ~ s[8] ~ s[7:9] ~ s[-5:] ~ s[:3] ~ s[::-1] ~ s[1:8:2] ~ s[8:1:-2]
s[100] is undefined
s[100]
s[:100] ~ s[-100:2] ~ s[5:2]
numbers[1:] ~ numbers[::-1] ~ numbers[-2:-1] ~ numbers[:]
numbers[5]
numbers[::0]
words[0] ~ words.0 ~ words[-1]
d.b ~ d['A'] ~ d['key with space'].t ~ d['key with space']['z']
d.items is mapping
d['items']
d.missing ~ d['missing']
d.missing.deeper
missing.attribute
missing
missing | length
missing ~ 'x'
missing + 'x'
missing == other_missing
missing()
nothing.x
nothing.x is defined
n.x is defined
n()
s.upper() ~ s.lower() ~ s.title() ~ s.capitalize() ~ s.swapcase()
sharp.upper() ~ '|' ~ sharp.lower() ~ '|' ~ sharp.title() ~ '|' ~ sharp.capitalize()
'  a b  '.strip() ~ '|' ~ '  a '.lstrip() ~ '|' ~ ' a  '.rstrip() ~ '|'
'xxaxyx'.strip('x') ~ 'xxaxyx'.lstrip('xy') ~ 'abcba'.rstrip('ab')
'a,b,,c'.split(',') ~ 'a,b,,c'.split(',', 1) ~ 'a,b,,c'.rsplit(',', 1)
' a  b c '.split() ~ ' a  b c '.split(none, 1) ~ ' a  b c '.rsplit(maxsplit=1) ~ ''.split() ~ ''.split(',')
'a'.split('')
multi.splitlines() ~ multi.splitlines(true) ~ 'a\\r\\nb\\rc'.splitlines()
s.startswith('Hell') ~ s.startswith(('x', 'H')) ~ s.endswith('rld') ~ s.startswith('ello', 1) ~ s.endswith('lo', 0, 5)
s.startswith(1)
s.replace('l', 'L') ~ s.replace('l', 'L', 1) ~ 'ab'.replace('', '-') ~ 'aaa'.replace('aa', 'b')
', '.join(words) ~ '-'.join('abc') ~ '-'.join([])
', '.join(numbers)
s.find('l') ~ s.find('zz') ~ s.rfind('l') ~ s.find('l', 4) ~ s.index('W') ~ s.find('r') ~ s.count('l') ~ 'aaaa'.count('aa')
s.index('zz')
'a'.isalpha() ~ '1'.isdigit() ~ 'a1'.isalnum() ~ ' '.isspace() ~ 'A'.isupper() ~ 'a'.islower() ~ ''.isalpha() ~ 'é'.isascii()
'7'.zfill(3) ~ '-7'.zfill(4) ~ 'a'.ljust(3) ~ '|' ~ 'a'.rjust(3, '*') ~ 'ab'.center(5, '*') ~ 'abc'.center(6, '*')
'prefix-x'.removeprefix('prefix-') ~ 'x.txt'.removesuffix('.txt') ~ 'a=b=c'.partition('=') ~ 'a=b=c'.rpartition('=') ~ 'ab'.partition('=')
'{} {1} {0}'.format(1, 2)
'{} {}'.format(1, 2) ~ '{1} {0}'.format(1, 2)
'{0} {1} {0} {name} {d[b]} {p.b}'.format(1, 'b', name='N', d=d, p=d)
'{:>5}|{:<5}|{:^5}|{:05d}|{:.2f}|{:,}|{:x}|{:+d}|{:*^7}|{!r:>6}'.format('a', 'b', 'c', 42, 3.14159, 1234567, 255, 5, 'mid', 'q')
'{{}}' .format()
'{'.format()
'%s %d %5.2f %05d %x %r %% %-5s|' % ('a', 3, 2.345, 42, 255, 'q', 'l')
'%(a)s-%(b)d' % {'a': 'x', 'b': 2}
'%s' % [1]
'%s' % (1, 2)
'%d' % 'a'
'%s %s' % ('a',)
'%s' | format('x') ~ '%(k)s' | format(k=1)
d.keys() | list ~ d.values() | list | string
d.items()
d.keys() ~ d.values()
d.get('b') ~ d.get('zz') ~ d.get('zz', 'dflt')
d.get(['x'])
d.pop('b')
d.update({})
words.append('x')
words.append is defined
words.count('a') ~ words.index('c') ~ words.copy()
words.index('zz')
s | upper ~ s | lower ~ s | title ~ s | capitalize ~ 'foo-bar (baz' | title
'  x ' | trim ~ '|' ~ 'xxax' | trim('x') ~ nothing | trim ~ missing | trim ~ n | trim
s | length ~ words | length ~ d | length ~ words | count
n | length
words | join ~ words | join(', ') ~ numbers | join('-') ~ people | join(',', attribute='name') ~ 'abc' | join('.')
words | first ~ words | last ~ s | first ~ [] | first ~ ([] | last is undefined)
words | sort | join ~ words | sort(case_sensitive=true) | join ~ words | sort(reverse=true) | join ~ numbers | sort | string
people | sort(attribute='age') | map(attribute='name') | join(',') ~ people | sort(attribute='age,name', reverse=true) | map(attribute='name') | join(',')
[1, 'a'] | sort
d | dictsort
d | dictsort(true) ~ {'a': 2, 'b': 1} | dictsort(by='value') ~ {'a': 2, 'b': 1} | dictsort(reverse=true)
words | dictsort
words | reverse | list ~ s | reverse
words | unique | list ~ [1, 1.0, true, 2] | unique | list
numbers | min ~ numbers | max ~ words | min ~ words | max ~ ([] | min is undefined)
numbers | sum ~ people | sum(attribute='age') ~ [] | sum ~ numbers | sum(start=10) ~ [0.5, 1] | sum
people | map(attribute='pet.kind') | list | string ~ people | map(attribute='pet.kind', default='none') | join(',')
words | map('upper') | join ~ ['a b', 'c'] | map('replace', ' ', '_') | join('|')
words | map('nope') | list
people | selectattr('age', 'equalto', 30) | map(attribute='name') | join ~ people | rejectattr('age', 'gt', 26) | map(attribute='name') | join
people | selectattr('pet') | list | length ~ people | selectattr('pet', 'defined') | list | length
numbers | select('odd') | list ~ numbers | reject('odd') | list ~ [0, 1, '', 'a'] | select | list ~ numbers | select('in', [1, 2]) | list
numbers | select('nope') | list
numbers | select is iterable and numbers | select is not sequence
(numbers | select) | length
d | items | list ~ missing | items | list
'abc' | list ~ d | list ~ missing | list
n | list
'5' | int ~ '5.7' | int ~ 'x' | int ~ 'x' | int(9) ~ 5.9 | int ~ '0x1f' | int(base=16) ~ 'ff' | int(0, 16) ~ true | int ~ nothing | int
missing | int
'5.5' | float ~ 'x' | float ~ 3 | float ~ 'x' | float(1.5) ~ '1e3' | float
neg | abs ~ -2.5 | abs ~ 2.567 | round(2) ~ 2.5 | round ~ 3.5 | round ~ 2.1 | round(method='ceil') ~ 2.19 | round(1, 'floor') ~ 7 | round
'x' | abs
missing | default('d') ~ nothing | default('d') ~ empty | default('d', true) ~ empty | d('d', boolean=true) ~ n | default('d')
missing | default ~ '|'
s | replace('l', 'L') ~ s | replace('l', 'L', 1) ~ 123 | replace('2', 'x') ~ 'a' | replace('a', 1)
multi | indent ~ '|' ~ multi | indent(2, true) ~ '|' ~ multi | indent(2, blank=true) ~ '|' ~ multi | indent('> ', first=true) ~ '|' ~ 'x' | indent ~ '|' ~ '' | indent(2, true)
n | indent
'foo bar baz qux' | truncate(9) ~ 'foo bar baz qux' | truncate(9, true) ~ 'foo bar baz qux' | truncate(11) ~ 'foo bar baz qux' | truncate(11, false, '...', 0)
'a b  c_d-e' | wordcount ~ 'a/b ?&é' | urlencode ~ 'ab' | center(6) ~ '|'
html ~ html | e ~ html | escape | escape ~ html | forceescape
('a' | safe) + '<' ~ '<' + ('a' | safe) ~ ('<' | safe ~ '<') ~ ('<' | e + '&')
d | tojson ~ words | tojson ~ s | tojson ~ quote | tojson ~ n | tojson ~ x | tojson ~ none | tojson ~ true | tojson
d | tojson(indent=2) ~ [] | tojson(indent=2) ~ {} | tojson(indent=4) ~ nested | tojson(indent=1)
d | tojson(sort_keys=true) ~ quote | tojson(ensure_ascii=true) ~ d | tojson(separators=(',', ':')) ~ d | tojson(indent='--')
huge | tojson ~ tiny | tojson ~ big | tojson ~ {1: 2, none: 3, true: 4, 1.5: 5} | tojson ~ (1, 2) | tojson
missing | tojson
d.items() | tojson
[missing] | tojson
1 is odd and 2 is even and 6 is divisibleby 3 and 6 is divisibleby(2)
n is defined and missing is undefined and nothing is none and n is number and n is integer and x is float and s is string
yes is boolean and yes is true and no is false and not (1 is true) and yes is number and yes is not integer
d is mapping and words is sequence and s is sequence and words is iterable and n is not iterable and d is sequence
missing is sequence ~ missing is iterable ~ missing is mapping ~ nothing is iterable
'a' is lower and 'A' is upper and 'a1' is not upper and '1' is not lower
1 is eq 1 and 1 is equalto(1) and 1 is ne 2 and 2 is gt 1 and 1 is lt 2 and 1 is le 1 and 1 is ge 1
1 is sameas 1 and none is sameas none and 1 is not sameas true and 1 is in [1]
'upper' is filter and 'nope' is not filter and 'odd' is test and range is callable and n is not callable
html | e is escaped and html is not escaped
1 is nope
1 | nope
1 if no else 1 | nope
2 if yes else 1 | nope
range(3) | list ~ range(1, 7, 2) | list ~ range(3, 0, -1) | list ~ range(0) | list
range(3)[1] ~ range(5)[1:3] | list
range(1000001)
range(1, 2, 0)
dict(a=1, b=2) ~ dict([('x', 1)]) ~ dict({'q': 1}, r=2)
raise_exception('boom')
strftime_now('%Y-%m-%d %H:%M %b %d %A')
[1, 2] + [3] ~ (1,) + (2,) ~ [0] * 3 ~ 'ab' * 2 ~ 3 * 'x' ~ [1] * -1
[1] + (2,)
'a' + 1
'a' - 'b'
-'a'
+5 ~ -n ~ --n ~ +x
n | string + 's'
people[0].pet.kind ~ people[-1]['name'] ~ nested[1][1][0]
'abc'[1] | upper ~ ('x' ~ 'y') | upper ~ -1 | abs ~ 1 ~ 2
s.split(', ')[1].upper()[:2]
d.b is defined and d.zz is not defined and d['b'] is eq(1)
[people, 1] | first | last | attr('name')
d | attr('b')
d | attr('keys') is callable
""".strip().split("\n")

STATEMENTS = [
    "{% if yes %}a{% elif no %}b{% else %}c{% endif %}{% if no %}a{% elif n == 7 %}b{% else %}c{% endif %}",
    "{% for w in words %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}"
    "{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ w }};{% endfor %}",
    "{% for w in words %}{{ loop.previtem }}<{{ w }}>{{ loop.nextitem }} {% endfor %}",
    "{% for w in words %}{{ loop.cycle('x', 'y') }}{{ loop.changed(w | lower) }}{% endfor %}",
    "{% for w in [1, 1, 2] %}{{ loop.changed(w) }}{% endfor %}",
    "{% for w in [] %}x{% else %}none{% endfor %}{% for w in words if w == 'q' %}x{% else %}none{% endfor %}",
    "{% for w in words if w != 'c' %}{{ loop.index }}/{{ loop.length }}{{ w }}{{ loop.last }} {% endfor %}",
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for k in d %}{{ k }}{% endfor %}",
    "{% for k, v in d | items %}{{ loop.index }}{{ k }}{{ loop.last }}{% endfor %}",
    "{% for a, b in [[1, 2], [3, 4]] %}{{ a + b }} {% endfor %}{% for (a, (b, c)) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}",
    "{% for a, b in [[1, 2, 3]] %}{{ a }}{% endfor %}",
    "{% for c in 'aé' %}[{{ c }}]{% endfor %}{% for c in missing %}x{% endfor %}",
    "{% for c in n %}{% endfor %}",
    "{% for c in nothing %}{% endfor %}",
    "{% for w in words %}{% if w == 'c' %}{% break %}{% endif %}{{ w }}{% endfor %}",
    "{% for w in words %}{% if w == 'A' %}{% continue %}{% endif %}{{ w }}{% endfor %}",
    "{% for i in range(3) %}{% for j in range(3) %}{% if j == 1 %}{% continue %}{% endif %}{% if i == 2 %}{% break %}{% endif %}"
    "{{ i }}{{ j }} {% endfor %}{% endfor %}",
    "{% for t in tree recursive %}{{ loop.depth }}:{{ t.v }}{% if t.c %}({{ loop(t.c) }}){% endif %} {% endfor %}",
    "{% for t in tree %}{{ loop(t) }}{% endfor %}",
    "{% for w in words %}{% set outer = loop %}{% for v in [1, 2] %}{{ outer.index }}.{{ loop.index }} {% endfor %}{% endfor %}",
    "{% set q = 1 %}{% for w in words %}{% set q = q + 1 %}{{ q }}{% endfor %}{{ q }}",
    "{% set ns = namespace(q=1, w='a') %}{% for w in words %}{% set ns.q = ns.q + 1 %}{% endfor %}{{ ns.q }}{{ ns.w }}{{ ns['q'] }}{{ ns.zz }}",
    "{% set ns = namespace() %}{% set ns.a = 1 %}{% set ns.b = ns.a + 1 %}{{ ns.b }}{{ ns.zz is defined }}",
    "{% set d.x = 1 %}",
    "{% set nope.x = 1 %}",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set (c, d) = (3, 4) %}{{ c }}{{ d }}{% set t = 1, 2 %}{{ t }}",
    "{% if yes %}{% set z = 1 %}{% endif %}{{ z }}{% if no %}{% set y = 1 %}{% endif %}{{ y }}",
    "{% set b %}a{{ n }}{% set inner = 1 %}{% endset %}[{{ b }}]{{ inner }}",
    "{% set b | upper | replace('A', 'x') %}a{{ n }}b{% endset %}[{{ b }}]",
    "{% filter upper %}a{{ n }}{% set inner = 1 %}{% endfilter %}{{ inner }}",
    "{% filter replace('a', 'b') | upper %}aaa{% endfilter %}",
    "{% with a = 1, b = n %}{{ a }}{{ b }}{% endwith %}{{ a }}",
    "{% set a = 5 %}{% with a = 1, b = a %}{{ a }}{{ b }}{% endwith %}",
    "{% macro m(a, b=2, c='x') %}{{ a }}-{{ b }}-{{ c }};{% endmacro %}{{ m(1) }}{{ m(1, 3) }}{{ m(1, c='z') }}{{ m(b=1, a=0) }}{{ m() }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(b=2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, a=2) }}",
    "{% macro m(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, k=4) }}{{ m() }}",
    "{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, 2) }}",
    "{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}x{{ n }}{% endcall %}",
    "{% macro m() %}[{{ caller('a', 'b') }}]{% endmacro %}{% call(p, q='z') m() %}{{ p }}{{ q }}{% endcall %}",
    "{% macro m() %}{{ caller is defined }}{% if caller %}x{% endif %}{% endmacro %}{{ m() }}",
    "{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}",
    "{% macro m() %}a{% endmacro %}{% call m() %}x{% endcall %}",
    "{% macro f(k) %}{% if k > 0 %}{{ k }}{{ f(k - 1) }}{% endif %}{% endmacro %}{{ f(5) }}",
    "{% set g = 1 %}{% macro m() %}{{ g }}{% set g = 9 %}{{ g }}{% endmacro %}{% set g = 2 %}{{ m() }}{{ g }}",
    "{% for w in [1, 2] %}{% macro m() %}{{ w }}{% endmacro %}{{ m() }}{% endfor %}",
    "{% macro m(x) %}{{ x }}{% endmacro %}{{ m(x=m('in') | upper) }}{{ m('a') + m('b') }}{{ m | string | length > 3 }}",
    "{% macro m() %}  a  {% endmacro %}[{{ m() | trim }}]{{ m() is string }}",
    "{{ m() }}{% macro m() %}{% endmacro %}",
    "{% macro m(a, b=1, c) %}{% endmacro %}",
    "{% macro m(*a) %}{% endmacro %}",
    "{{ dict(**{'a': 1}) }}{{ '{}{}'.format(*[1, 2]) }}",
    "{% generation %}a{{ n }}{% set inner = 1 %}{% endgeneration %}{{ inner }}",
    "{% raw %}{{ x }}{% if %}{# no #}{% endraw %}",
    "a  {%- raw -%}  b {{ }}  {%- endraw -%}  c",
    "{# comment {{ x }} #}a{#- c -#} b{# multi\nline #}\nc",
    "a\n{# c #}\nb\n  {# d #}\n  e",
    "a\n  {% if yes %}\n  b\n  {% endif %}\nc\n",
    "a\n  {%+ if yes %}\n  b\n  {%+ endif %}\nc",
    "a\n\n  {%- if yes -%}  \n\n b  {%- endif -%}\n c",
    "a {{- ' b ' -}} c {{ 1 }}\n{{ 2 }}\n\n{{ 3 -}}\n\n d",
    "  {% if yes %}x{% endif %}  y  {% if yes %}z{% endif %}\n\n  {% set q = 1 %}  \n w",
    "x\n\t {% if yes +%}\n y\n{% endif %}\n",
    "line\r\nbreaks\r{% if yes %}\r\nx{% endif %}",
    "ends with newline\n",
    "ends with two\n\n",
    "{{ '\\r\\n' }}{{ 'a\nb' }}",
    "{{ {'a': {'b': 1}}['a']['b'] }}{{ {'a': 1}.a }}{{ [[1]] }}{{ {} }}",
    "{%if yes%}a{%endif%}{{n}}{%-set q=1-%}{{q}}",
    "{% print n, s %}",
    "{{ 1, 2 }}{{ (1) }}",
    "{{ n",
    "{% if yes %}",
    "{% endif %}",
    "{% if yes %}{% endfor %}",
    "{% for %}{% endfor %}",
    "{% nope %}",
    "{{ }}",
    "{{ 1 + }}",
    "{{ (1 }}",
    "{{ 1) }}",
    "{{ [1, }}",
    "{{ 'open }}",
    "{# open",
    "{% raw %} open",
    "{{ a b }}",
    "{{ 1 is defined is defined }}",
    "{{ $ }}",
    "{{ a.'b' }}",
    "{% set 1 = 2 %}",
    "{% set none = 2 %}",
    "{% break %}",
    "{% for a in words %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}",
    "{{ 1 | nope }}",
    "{% if no %}{{ 1 | nope }}{% endif %}ok",
    "{% if no %}{% for a in words %}{{ 1 | nope }}{% endfor %}{% endif %}ok",
    "{% include 'x' %}",
    "{% import 'x' as y %}",
    "{% do 1 %}",
    "{{ ''.__class__ }}",
    "{{ ''.__class__.__mro__ }}",
    "{{ words.sort() }}",
    "{% set loop = 1 %}{{ loop }}",
    "{% for a in [1, 2, 3] %}{{ loop.index }}{% if loop.index == 2 %}{{ loop.nextitem }}{% endif %}{% endfor %}{{ loop is defined }}",
    "{%- for message in [{'role': 'user', 'content': 'x'}] -%}\n{{ '<|' + message['role'] + '|>' }}\n{%- endfor -%}",
    "{{ people | groupby('age') | map('first') | list }}{{ words | batch(3) | list }}{{ [1, 2, 3] | batch(2, 'x') | list }}",
    "{% set ns = namespace(items=[]) %}{% for w in words %}{% set ns.items = ns.items + [w] %}{% endfor %}{{ ns.items }}",
    "{% set x = {'a': 1} %}{% set y = dict(x, b=2) %}{{ x }}{{ y }}",
    "{{ 'a' ~ missing ~ none ~ true ~ 1.0 ~ [1] }}",
    "{{ loop }}{{ caller }}{{ varargs }}",
    "{{ 10 | string ~ 5 }}{{ 3.0 }}{{ 3.10 }}{{ 1e100 }}{{ -0.0 }}",
    "{{ 99999999999999999999 if no else 1 }}",
]
