// What the imitated model says.
export const kThought = `Let me set up the equations. Let $x$ be the number of chickens and $y$ the number of rabbits.

Each has one head, so $x + y = 35$. Chickens have two feet and rabbits four, so $2x + 4y = 94$.

From the first, $x = 35 - y$. Put that into the second: $2(35 - y) + 4y = 94$, which gives $70 + 2y = 94$, hence $y = 12$.

Wait, let me check: $x = 23$. Heads: $23 + 12 = 35$. Feet: $46 + 48 = 94$. Good.
`;

export const kAnswer = `Let $x$ be the number of **chickens** and $y$ the number of **rabbits**.

1. Every animal has one head: $x + y = 35$
2. Chickens have two feet, rabbits four: $2x + 4y = 94$

Subtracting twice the first equation from the second gives

\\[
\\begin{aligned}
2x + 4y - 2(x + y) &= 94 - 70 \\\\
2y &= 24 \\\\
y &= 12, \\qquad x = 35 - 12 = 23 .
\\end{aligned}
\\]

In general, with $h$ heads and $f$ feet,

$$y = \\frac{f - 2h}{2}, \\qquad x = \\frac{4h - f}{2}, \\qquad \\sqrt{x^2 + y^2} = \\left\\lVert \\begin{pmatrix} x \\\\ y \\end{pmatrix} \\right\\rVert_2 .$$

| animal | heads | feet |
|---|---|---|
| chickens | 23 | 46 |
| rabbits | 12 | 48 |

\`\`\`python
def cage(heads: int, feet: int) -> tuple[int, int]:
    """Chickens and rabbits, or an error where there is no whole answer."""
    rabbits, rest = divmod(feet - 2 * heads, 2)
    if rest or not 0 <= rabbits <= heads:
        raise ValueError("no such cage")
    return heads - rabbits, rabbits

print(cage(35, 94))  # (23, 12)
\`\`\`

So there are $\\boxed{23 \\text{ chickens and } 12 \\text{ rabbits}}$.
`;

export const kThoughtZh = `设鸡有 $x$ 只，兔有 $y$ 只。每只动物一个头，所以 $x + y = 35$；鸡两足、兔四足，所以 $2x + 4y = 94$。

由第一式得 $x = 35 - y$，代入第二式：$70 + 2y = 94$，于是 $y = 12$，$x = 23$。

等等，验算一下：头 $23 + 12 = 35$，足 $46 + 48 = 94$，正确。
`;

export const kAnswerZh = `设鸡有 $x$ 只，兔有 $y$ 只。

1. 每只动物一个头：$x + y = 35$
2. 鸡有两足，兔有四足：$2x + 4y = 94$

用第二式减去第一式的两倍：

\\[
\\begin{aligned}
2x + 4y - 2(x + y) &= 94 - 70 \\\\
2y &= 24 \\\\
y &= 12, \\qquad x = 35 - 12 = 23 .
\\end{aligned}
\\]

古人的解法更巧：让所有动物抬起一半的脚，剩下 $94 \\div 2 = 47$ 只脚；每只鸡一脚、每只兔两脚，多出来的就是兔的只数。

| 动物 | 头 | 足 |
|---|---|---|
| 鸡 | 23 | 46 |
| 兔 | 12 | 48 |

所以 $\\boxed{\\text{鸡 } 23 \\text{ 只，兔 } 12 \\text{ 只}}$。
`;

export const kHostile = `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">

![picture](https://images.example/x.png) [click](javascript:alert(1)) [fine](https://fine.example/)

<style>body { display: none }</style> $\\href{javascript:alert(1)}{x}$ and the price is $5 or $6.
`;
