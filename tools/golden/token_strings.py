"""Varied strings for comparing tokenizers: seeded, without files or network, the same on every machine."""
import random
import unicodedata

CHINESE = "用一句话说明什么是统一内存。深度学习的推理速度取决于内存带宽，而不是算力！你好世界；请问一千零一夜有几个故事？龘𠮷𠀀㐀々〇「引用」《书名》（括号）、顿号……——"
EMOJI = ["😀", "🀄️", "👨‍👩‍👧‍👦", "👍🏽", "🇩🇪", "🇨🇳🇫🇷", "1️⃣", "#️⃣", "❤️‍🔥", "🏳️‍🌈", "☎︎", "🧑🏿‍🚀", "🫠", "🪿", "🩷", "\u200d", "\ufe0f"]
CODE = [
    "def f(x):\n    return x ** 2  # square\n\n\nclass A:\n\tpass\n", "for (int i = 0; i < n; ++i) { sum += a[i]; }\r\n",
    "SELECT * FROM t WHERE a='b' AND c<>10;", "#include <vector>\nint main() { std::vector<int> v{1,2,3}; }",
    "{\"a\": [1, 2.5e-10, null], \"b\": \"\\u00e9\"}", "fn main() -> Result<(), Box<dyn Error>> {\n    println!(\"{:?}\", x);\n}",
    "<div class=\"x\">&nbsp;</div>\n<!-- c -->", "$\\frac{a^2+b^2}{\\sqrt{c}}$ \\begin{align}x&=y\\\\z&=1\\end{align}",
    "https://example.org/a/b?c=d&e=%20f#g", "git commit -m 'x' && make -j8 || exit 1", "    \t  if (a)\n\n        b();\n      }\n", "x=y;;//==>>>>-----____****####",
]
ENGLISH = ("The quick brown fox doesn't jump over the lazy dog's back; they'll say it's WE'RE I'm he'd you've CAN'T "
           "Internationalization of antidisestablishmentarianism, e.g. naïve café façade — “quotes” … 3rd 1990s $5.00 100% a.b.c U.S.A. "
           "strawberry hello world Who are you? ").split(" ")
SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\r", "\v", "\f", "\x85", "\xa0", "\u1680", "\u2000", "\u2003", "\u200a",
          "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", " " * 17, "\n" * 9, "\t" * 5]
DIGITS = ["0", "12", "345", "2024", "12345", "123456789", "3.14159", "１２３", "²³¹", "½¾", "Ⅻⅳ", "①②", "٣٤٥", "०१२", "𝟙𝟚𝟛", "一二三", "1,000,000", "0x1F", "1e-5", "2024年1月", "⁴₅", "𐄇"]
CONTROLS = [chr(c) for c in list(range(32)) + [0x7F] + list(range(0x80, 0xA0))] + ["\u200b", "\u200e", "\u202e", "\ufeff", "\u00ad", "\u2060", "\ufffc", "\ufffd", "\ufffe",
                                                                                  "\uffff", "\U0001fffe", "\ue000", "\U000f0000", "\U0010ffff"]
COMPOSED = ("é ñ ü Å ế ệ Việt Nam Đặng ça œuvre Žluťoučký kůň ÅÅΩ 한국어 각힣 がぎぐ パピプ ക്ഷ நௌ কো ॐ क़ ड़ ﷺ ﬁ ﬆ שׁ אָ ΐ ὖ Ї ё ǖ ḍ̇ ṩ Ǟ 豈 神 ﹏").split(" ")
MARKS = [chr(c) for c in (0x300, 0x301, 0x302, 0x303, 0x307, 0x308, 0x30A, 0x316, 0x323, 0x327, 0x328, 0x331, 0x338, 0x345, 0x5B0, 0x5BC, 0x64B, 0x651, 0x93C, 0x94D,
                          0x9BE, 0x9D7, 0xBBE, 0xBD7, 0xCD5, 0xDCF, 0x102E, 0x1161, 0x11A8, 0x3099, 0x309A, 0x1D165, 0x20D0, 0xFE20)]
CONTRACTIONS = ["don'T", "it'S", "we'Re", "'ll'LL'lL", "I'Ve", "x'd'D", "'ſ", "it'ſx", "''s", " 's", "'tis", "'re", "o'clock", "’s", "'m'M", "'", "'sſ", "\n's", "1's"]
SCRIPTS = ["Привет, мир! Ёлка", "Γειά σου Κόσμε", "مرحبا بالعالم؟", "שלום עולם", "สวัสดีชาวโลก", "नमस्ते दुनिया", "こんにちは、世界。カタカナ", "안녕하세요 세계", "Xin chào thế giới",
           "გამარჯობა", "ሰላም ልዑል", "བཀྲ་ཤིས", "வணக்கம்", "ᚠᛇᚻ", "𝒳𝓎𝔷", "𐐷𐐨", "ʰʷˈaɪ", "ꙮ", "ﬀﬃ", "ÀÉÎÕÜ ß ẞ İı ſ"]
SPECIALS = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<tool_call>", "<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>",
            "<|end_header_id|>", "<|reserved_special_token_0|>", "<|fim_prefix|>", "<|file_sep|>", "<repo_name>", "<empty_output>", "<|im_", "im_end|>", "<|", "|>",
            "<｜User｜>", "<｜end▁of▁sentence｜>"]


def _any_character(rnd):
    while True:
        c = rnd.choice([rnd.randrange(0x80), rnd.randrange(0x800), rnd.randrange(0x3000), rnd.randrange(0x10000), rnd.randrange(0x20000), rnd.randrange(0x110000)])
        # Unassigned characters (and those of Unicode versions after Python's) change class from version to version.
        if not 0xD800 <= c < 0xE000 and unicodedata.category(chr(c)) != "Cn":
            return chr(c)


def _decomposed(rnd):
    kind = rnd.randrange(4)
    word = rnd.choice(COMPOSED + SCRIPTS)
    if kind == 0:
        return unicodedata.normalize("NFD", word)
    if kind == 1:
        return unicodedata.normalize("NFKD", word)
    if kind == 2:
        return "".join(c + "".join(rnd.choice(MARKS) for _ in range(rnd.randrange(4))) for c in word)
    return rnd.choice("aeoAEO1 .\n가각ᄀ한") + "".join(rnd.choice(MARKS) for _ in range(rnd.randrange(1, 12)))


def _pieces(rnd):
    n = rnd.randrange(1, 12)
    return [
        lambda: "".join(rnd.choice(CHINESE) for _ in range(n * 2)),
        lambda: "".join(rnd.choice(EMOJI) for _ in range(n)),
        lambda: rnd.choice(CODE),
        lambda: " ".join(rnd.choice(ENGLISH) for _ in range(n)),
        lambda: "".join(rnd.choice(SPACES) for _ in range(n)),
        lambda: "".join(rnd.choice(SPACES) + rnd.choice(["a", ".", "1", "好", "'s", ""]) for _ in range(n)),
        lambda: "".join(rnd.choice(DIGITS) for _ in range(n)),
        lambda: "".join(rnd.choice(CONTROLS) for _ in range(n)),
        lambda: "".join(rnd.choice(COMPOSED) for _ in range(n)),
        lambda: "".join(_decomposed(rnd) for _ in range(n)),
        lambda: "".join(rnd.choice(CONTRACTIONS) for _ in range(n)),
        lambda: rnd.choice(SCRIPTS),
        lambda: "".join(rnd.choice(SPECIALS) for _ in range(rnd.randrange(1, 4))),
        lambda: "".join(_any_character(rnd) for _ in range(n)),
        lambda: "".join(chr(rnd.randrange(32, 127)) for _ in range(n * 3)),
        lambda: rnd.choice(["a", "A", "us", "哈", "\n", " ", "=", "é", "0", "😀", "ab ", "\n ", "e\u0301"]) * rnd.randrange(1, 300),
    ]


def strings(n, seed=1):
    """n different strings: each kind alone, then mixtures of two to five kinds."""
    rnd = random.Random(seed)
    found = {}
    while len(found) < n:
        kinds = _pieces(rnd)
        count = 1 if len(found) < n // 3 else rnd.randrange(2, 6)
        text = "".join(rnd.choice(kinds)() for _ in range(count))
        if text:
            found[text] = None
    return list(found)
