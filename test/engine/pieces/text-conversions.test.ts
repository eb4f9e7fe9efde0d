import { expect, test } from 'vitest'
import { piece } from '../../support/automation-nodes.ts'
import { outputOf } from './fake-ports.ts'

const run = (action: string, input: object): Promise<unknown> =>
  outputOf(piece('@activepieces/piece-text-helper', action, input))

const page = `<html><head><title>Shop &amp; more</title><style>p { color: red }</style></head><body>
  <h1>Hello <em>World</em></h1><p class="intro big">One<br>two <a href="/a?x=1&amp;y=2" title="t">link</a><b> bold </b>text <code>a\`b</code>.
  <ul><li>a<li>b<ul><li>c</li></ul></li></ul><ol start="3"><li>x</li></ol>
  <pre><code>let a
  = 1</code></pre><blockquote><p>q1</p><p>q2</p></blockquote>
  <table><tr><th>A<th>B<tr><td>1<td>2|3</table><img src="i.png" alt="pic"><script>alert(1)</script><p># no heading</p></body></html>`

test('html_to_markdown converts what Markdown has, and removes scripts and styles', async () => {
  expect(await run('html_to_markdown', { html: page })).toBe(`Hello _World_
=============

One  
two [link](/a?x=1&y=2 "t") **bold** text \`\`a\`b\`\`.

*   a
*   b
    *   c

3.  x

    let a
      = 1

> q1
>
> q2

| A | B |
| --- | --- |
| 1 | 2\\|3 |

![pic](i.png)

\\# no heading`)
  expect(await run('html_to_markdown', { html: '' })).toBe('')
})

test('stripHtml returns the text without tags, scripts and styles', async () => {
  expect(await run('stripHtml', { html: page })).toBe(
    'Hello World\nOne\ntwo link bold text a`b.\na\nb\nc\nx\nlet a = 1\nq1\nq2\nA\nB\n1\n2|3\n# no heading',
  )
  expect(await run('stripHtml', { html: 'a < b & c' })).toBe('a < b & c')
})

test.each<[object, unknown]>([
  [{}, 'Shop & more'],
  [{ target: 'links', extractionType: 'attribute', attributeName: 'HREF' }, '/a?x=1&y=2'],
  [{ target: 'headings', returnMultiple: true }, ['Hello World']],
  [{ target: 'custom', selector: 'ul > li', returnMultiple: true }, ['a', 'bc', 'c']],
  [
    { target: 'custom', selector: 'p.intro a[title="t"]', extractionType: 'outerHtml' },
    '<a href="/a?x=1&amp;y=2" title="t">link</a>',
  ],
  [
    { target: 'custom', selector: 'h1 *, #no, b', extractionType: 'innerHtml', returnMultiple: true },
    ['World', ' bold '],
  ],
  [{ target: 'custom', selector: 'OL > LI, p.größe', returnMultiple: true }, ['x']],
  [{ target: 'custom', selector: 'script', extractionType: 'outerHtml' }, '<script>alert(1)</script>'],
  [{ target: 'custom', selector: 'video' }, null],
  [{ target: 'custom', selector: 'video', returnMultiple: true }, []],
])('extract_from_html of %j is %j', async (input, expected) => {
  expect(await run('extract_from_html', { html: page, ...input })).toEqual(expected)
})

const markdown = `# Title *em* & more

Para **bold _both_** and ~~no~~ \`x <b>\` [link](https://x.test/a_b "T") ![i](p.png)
next https://auto.test/x_y. snake_case_word and \\*plain\\* <b>raw</b>

* a
* b
    1. c

> quote
> > inner

\`\`\`js
1 < 2
\`\`\`

| A | B |
|---|:-:|
| 1 | x \\| y |

- [x] done
***
[ref][r]

[r]: https://r.test`

test('markdown_to_html converts GitHub Markdown', async () => {
  expect(await run('markdown_to_html', { markdown })).toBe(`<h1 id="title-em--more">Title <em>em</em> &amp; more</h1>
<p>Para <strong>bold <em>both</em></strong> and <del>no</del> <code>x &lt;b&gt;</code> <a href="https://x.test/a_b" title="T">link</a> <img src="p.png" alt="i" /><br />
next <a href="https://auto.test/x_y">https://auto.test/x_y</a>. snake_case_word and *plain* <b>raw</b></p>
<ul>
<li>a</li>
<li>b
<ol>
<li>c</li>
</ol></li>
</ul>
<blockquote>
<p>quote</p>
<blockquote>
<p>inner</p>
</blockquote>
</blockquote>
<pre><code class="js language-js">1 &lt; 2
</code></pre>
<table>
<thead>
<tr>
<th>A</th>
<th style="text-align:center;">B</th>
</tr>
</thead>
<tbody>
<tr>
<td>1</td>
<td style="text-align:center;">x | y</td>
</tr>
</tbody>
</table>
<ul>
<li><input type="checkbox" disabled checked /> done</li>
</ul>
<hr />
<p><a href="https://r.test">ref</a></p>`)
})

test.each<[object, string]>([
  [{ markdown: '# A\n# A', headerLevelStart: 3 }, '<h3 id="a">A</h3>\n<h3 id="a-1">A</h3>'],
  [{ markdown: '# A b', noHeaderId: true }, '<h1>A b</h1>'],
  [{ markdown: 'a\nb', flavor: 'vanilla' }, '<p>a\nb</p>'],
  [{ markdown: 'a\nb', flavor: 'vanilla', simpleLineBreaks: true }, '<p>a<br />\nb</p>'],
  [{ markdown: 'a  \nb', flavor: 'vanilla' }, '<p>a<br />\nb</p>'],
  [{ markdown: 'a|b\n-|-\n1|2', tables: false, flavor: 'vanilla' }, '<p>a|b\n-|-\n1|2</p>'],
  [
    { markdown: '[x](y)', openLinksInNewWindow: true },
    '<p><a href="y" rel="noopener noreferrer" target="_blank">x</a></p>',
  ],
  [
    { markdown: '**a***b* *c**d**e* 2 * 3 * 4 *open', flavor: 'vanilla' },
    '<p><strong>a</strong><em>b</em> <em>c<strong>d</strong>e</em> 2 * 3 * 4 *open</p>',
  ],
  [
    { markdown: 'Set\n---\n\n1. one\n\n2. two' },
    '<h2 id="set">Set</h2>\n<ol>\n<li><p>one</p></li>\n<li><p>two</p></li>\n</ol>',
  ],
  [{ markdown: '1. one\n2. two' }, '<ol>\n<li>one</li>\n<li>two</li>\n</ol>'],
  [{ markdown: '<b>Hi</b> *Ada*' }, '<p><b>Hi</b> <em>Ada</em></p>'],
  [{ markdown: 'Hi\n<div>\nAda\n</div>' }, '<p>Hi</p>\n<div>\nAda\n</div>'],
  [{ markdown: '_https://x.test/a_b_' }, '<p><em><a href="https://x.test/a_b">https://x.test/a_b</a></em></p>'],
  [
    { markdown: '[https://x.test](/y), http://x.test/a(b).' },
    '<p><a href="/y">https://x.test</a>, <a href="http://x.test/a(b">http://x.test/a(b</a>).</p>',
  ],
  [{ markdown: 'www.x.test ada@x.test ftp://x.test' }, '<p>www.x.test ada@x.test ftp://x.test</p>'],
  [{ markdown: '&copy; &amp; <&#65;' }, '<p>&copy; &amp; &lt;&#65;</p>'],
  [{ markdown: '[x](javascript:a%20b&c)' }, '<p><a href="javascript:a%20b&amp;c">x</a></p>'],
  [{ markdown: '```\na\tb\n```' }, '<pre><code>a    b\n</code></pre>'],
  [{ markdown: '' }, ''],
])('markdown_to_html of %j', async (input, expected) => {
  expect(await run('markdown_to_html', input)).toBe(expected)
})

test.each<[string, string, string, object?]>([
  ['<div>'.repeat(30_000), 'html_to_markdown', 'html'],
  ['<p><li>x<td>'.repeat(10_000), 'stripHtml', 'html'],
  ['<div>x'.repeat(30_000), 'extract_from_html', 'html'],
  ['<div>'.repeat(99) + 'x<br>'.repeat(20_000), 'extract_from_html', 'html', { selector: 'div' }],
  ['<div>x'.repeat(30_000), 'extract_from_html', 'html', { selector: `${'div '.repeat(50)}p` }],
  ['*a **b _c '.repeat(10_000), 'markdown_to_html', 'markdown'],
  ['[a](b "'.repeat(10_000), 'markdown_to_html', 'markdown'],
  ['> - '.repeat(10_000), 'markdown_to_html', 'markdown'],
  ['**x* _y__ '.repeat(10_000), 'markdown_to_html', 'markdown'],
  ['[*`a'.repeat(10_000), 'markdown_to_html', 'markdown'],
  ['a_http://.'.repeat(10_000), 'markdown_to_html', 'markdown'],
  ['```\n'.repeat(20_000), 'markdown_to_html', 'markdown'],
])('hostile text %# is converted', async (text, action, field, more) => {
  expect(await run(action, { [field]: text, ...(more && { target: 'custom', ...more }) })).not.toBeUndefined()
})

test.each([
  ['Hello World!', 'Hello-World!'],
  [' Crème  brûlée & Straße ', 'Creme-brulee-and-Strasse'],
  ['50% / $5', '50percent-dollar5'],
  ['Привет мир', 'Привет-мир'],
])('slugify of %j is %j', async (text, slug) => {
  expect(await run('slugify', { text })).toBe(slug)
})

test('json_to_ascii_table renders the fields of all objects', async () => {
  expect(
    await run('json_to_ascii_table', {
      data: [
        { a: 1, b: 'xyz' },
        { a: 22, c: { d: null } },
      ],
    }),
  ).toBe(`+----+-----+------------+
| a  | b   | c          |
+----+-----+------------+
| 1  | xyz |            |
| 22 |     | {"d":null} |
+----+-----+------------+`)
  expect(await run('json_to_ascii_table', { data: '[]' })).toBe('')
})

test('find_all returns every occurrence', async () => {
  expect(await run('find_all', { text: 'a1 A22', expression: 'a\\d+' })).toEqual(['a1'])
  expect(await run('find_all', { text: 'a1 A22', expression: 'a\\d+', ignoreCase: true })).toEqual(['a1', 'A22'])
  expect(await run('find_all', { text: 'x', expression: 'y' })).toEqual([])
})

test.each<[string, object, string]>([
  ['markdown_to_html', {}, 'markdown is required.'],
  ['markdown_to_html', { markdown: 'a', headerLevelStart: 7 }, 'headerLevelStart must be at most 6.'],
  ['markdown_to_html', { markdown: 'a', flavor: 'x' }, 'flavor must be one of vanilla, original, github.'],
  ['html_to_markdown', { html: null }, 'html is required.'],
  ['stripHtml', {}, 'html is required.'],
  ['slugify', { text: '' }, 'text is required.'],
  ['find_all', { text: 'a', expression: '(' }, 'expression is not a valid regular expression'],
  ['find_all', { text: `${'a'.repeat(40)}!`, expression: '^(a+)+$' }, 'expression took longer than 250 ms'],
  ['json_to_ascii_table', { data: 'no' }, 'data must be a list of objects.'],
  ['json_to_ascii_table', { data: [1] }, 'data must be a list of objects.'],
  ['extract_from_html', { html: page, target: 'custom' }, 'selector is required for the target custom.'],
  ['extract_from_html', { html: page, target: 'custom', selector: 'a:hover' }, 'selector "a:hover" is not supported.'],
  ['extract_from_html', { html: page, target: 'custom', selector: 'a >' }, 'selector "a >" is not supported.'],
  ['extract_from_html', { html: page, target: 'custom', selector: '> a' }, 'selector "> a" is not supported.'],
  ['extract_from_html', { html: page, target: 'custom', selector: 'a + b' }, 'selector "a + b" is not supported.'],
  ['extract_from_html', { html: page, target: 'custom', selector: 'svg|a' }, 'selector "svg|a" is not supported.'],
  ['extract_from_html', { html: page, extractionType: 'attribute' }, 'attributeName is required'],
])('text-helper %s refuses %j', async (action, input, message) => {
  await expect(run(action, input)).rejects.toThrow(message)
})

test.each([
  ['***a***', '<em><strong>a</strong></em>'],
  ['**a*', '*<em>a</em>'],
  ['*a**', '<em>a</em>*'],
  ['***a** b*', '<em><strong>a</strong> b</em>'],
  ['***a* b**', '<strong><em>a</em> b</strong>'],
  ['**a** *b*', '<strong>a</strong> <em>b</em>'],
])('markdown_to_html reads emphasis as CommonMark does: %s', async (markdown, html) => {
  expect(await run('markdown_to_html', { markdown })).toContain(html)
})
