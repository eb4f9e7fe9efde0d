import { describe, expect, test } from 'vitest'
import { readHtml, readPage } from '../../../../src/platform/providers/website-reader/read-website.ts'
import { caseCount } from '../../../support/case-count.ts'
import { shortestMs } from '../../../support/timing.ts'

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding)

describe('the text of a page', () => {
  test('is the visible text: paragraphs, lists and tables, without scripts, styles, comments and menus', () => {
    const page =
      readHtml(`<!doctype html><html><head><title> Our &amp; hours </title><style>p { color: red }</style></head>
      <body><nav><a href="/menu">Menu</a></nav><script>if (1 < 2) document.write('<p>no</p>')</script><!-- <p>hidden</p> -->
      <h1>Opening   hours</h1><p>Mon&ndash;Fri: 8&nbsp;to 17,<br>Sat: 9 to 12.</p>
      <ul><li>Ring <b>twice</b></li><li>5 &lt; 6 &#8364; &#x41; &unknown; a < b</li></ul>
      <table><tr><td>Tea</td><td>2</td></tr></table><pre>a
  b</pre><img alt="A house" src="x"></body>`)
    expect(page).toEqual({
      title: 'Our & hours',
      text: 'Opening hours\n\nMon–Fri: 8 to 17,\nSat: 9 to 12.\n\n- Ring twice\n\n- 5 < 6 € A &unknown; a < b\n\nTea | 2\n\na\nb\n\nA house',
      links: ['/menu'],
    })
  })

  test('is extracted from malformed pages, in time that is linear in their length', async () => {
    expect(readHtml('a <p title="1 > 0">b').text).toBe('a\n\nb')
    expect(readHtml('a <script>never closed').text).toBe('a')
    expect(readHtml('a <!-- never closed').text).toBe('a')
    expect(readHtml('1 < 2 </ <> &#99999999; &#xd800; &').text).toContain('1 < 2')
    for (const piece of [
      '<',
      '<a ',
      '<!--',
      '<a href="',
      '<title>',
      '&#',
      '<script',
      '</nav>',
      '<a b=',
      '<div>',
      '<div></p>',
      '<svg>',
      '<![CDATA[',
      '&lt',
    ]) {
      const page = piece.repeat(caseCount(200_000, 50_000))
      expect(await shortestMs(() => readHtml(page), 2000), piece).toBeLessThan(2000)
    }
  })

  test.each([
    ['text/html; charset=iso-8859-1', bytes('<p>Caf\u00e9', 'latin1'), 'Café'],
    ['', bytes('<meta charset="windows-1252"><p>Caf\u00e9', 'latin1'), 'Café'],
    ['text/html; charset=martian', bytes('<p>Café'), 'Café'],
    ['text/markdown', bytes('# Head\r\n\r\n- x <b>'), '# Head\n\n- x <b>'],
    [
      'application/ld+json',
      bytes('{"name":"Tea","prices":[{"eur":2},{"eur":3}]}'),
      'name: Tea\nprices.eur: 2\nprices.eur: 3',
    ],
  ])('is read as %s', (type, body, text) => {
    expect(readPage(type, body).text).toBe(text)
  })

  test.each([
    [
      'application/pdf',
      '%PDF',
      'Unsupported content type application/pdf. Use a web page, plain text, Markdown or JSON.',
    ],
    ['application/json', '{', 'The page has the content type JSON but is not valid JSON.'],
  ])('is not available for %s', (type, body, reason) => {
    expect(() => readPage(type, bytes(body))).toThrow(reason)
  })
})
