import { runInNewContext } from 'node:vm'
import { isObject } from '../../../contract/values/json-object.ts'
import { parseJson } from '../../../node/json.ts'
import {
  anyText,
  anything,
  choice,
  content,
  fields,
  flag,
  fromJson,
  optionalText,
  text,
  textList,
  wholeNumber,
} from '../input-fields.ts'
import { action, done, type Piece } from '../piece.ts'
import { StepFailure } from '../step-failure.ts'

/** Letters and symbols that decomposition does not turn into Latin letters. */
const replacements: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    Æ: 'AE',
    œ: 'oe',
    Œ: 'OE',
    ø: 'o',
    Ø: 'O',
    ł: 'l',
    Ł: 'L',
    đ: 'd',
    Đ: 'D',
    ð: 'd',
    Ð: 'D',
    þ: 'th',
    Þ: 'TH',
    ı: 'i',
    '&': 'and',
    '|': 'or',
    '<': 'less',
    '>': 'greater',
    '%': 'percent',
    $: 'dollar',
    '€': 'euro',
    '£': 'pound',
    '¥': 'yen',
  }),
)

/**
 * Returns a text for use in URLs: letters without accents, words joined with hyphens, other characters removed. Upper
 * case is preserved, and so are letters of scripts that are not Latin.
 */
const slugify = (text: string): string =>
  [...text]
    .map((it) => replacements.get(it) ?? it)
    .join('')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}_\s*+~.()'"!\-:@]/gu, '')
    .trim()
    .replace(/[-\s]+/g, '-')

/** Renders a list of objects as a table with borders. Its columns are the fields of all objects. @throws StepFailure */
function renderTextTable(data: unknown): string {
  if (!Array.isArray(data) || !data.every(isObject)) throw new StepFailure('data must be a list of objects.')
  if (data.length === 0) return ''
  const names = [...new Set(data.flatMap((it) => Object.keys(it)))]
  const rows = data.map((it) => names.map((name) => anyText.parse(it[name]).replaceAll('\n', ' ')))
  const widths = names.map((name, at) => rows.reduce((max, row) => Math.max(max, row[at]?.length ?? 0), name.length))
  const border = `+${widths.map((it) => '-'.repeat(it + 2)).join('+')}+`
  const line = (cells: readonly string[]): string =>
    `|${cells.map((it, at) => ` ${it.padEnd(widths[at] ?? 0)} `).join('|')}|`
  return [border, line(names), border, ...rows.map(line), border].join('\n')
}

const patternTimeoutMs = 250

/**
 * Runs a script that applies a regular expression to texts, and returns its result. A pattern that takes longer than
 * 250 ms is stopped, because it would block every other run.
 * @throws StepFailure that names the field of the pattern
 */
function applyPattern(
  field: string,
  pattern: string,
  script: string,
  variables: Readonly<Record<string, string>>,
): unknown {
  try {
    new RegExp(pattern)
  } catch (error) {
    throw new StepFailure(`${field} is not a valid regular expression: ${(error as Error).message}`)
  }
  try {
    const result = runInNewContext(
      `JSON.stringify(${script})`,
      { ...variables, pattern },
      { timeout: patternTimeoutMs },
    )
    return parseJson(result as string)
  } catch (error) {
    const isSlow = (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    throw new StepFailure(
      isSlow
        ? `${field} took longer than ${patternTimeoutMs} ms on this text. Use a simpler regular expression.`
        : `${field} cannot be applied to this text: ${(error as Error).message}`,
    )
  }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

const flavors = ['vanilla', 'original', 'github'] as const

/** Returns a checkbox that is set if the field is missing. */
const setFlag = flag.prefault(true)

const selectorOf = {
  title: 'title',
  links: 'a[href]',
  images: 'img[src]',
  headings: 'h1, h2, h3',
  paragraphs: 'p',
} as const

const extractFromHtml = action({
  title: 'Extract from HTML',
  example: {
    html: '<a href="/x">Shop</a>',
    target: 'links',
    extractionType: 'attribute',
    attributeName: 'href',
  },
  isInternal: true,
  input: fields({
    html: text.describe('HTML to search'),
    target: choice(['title', 'links', 'images', 'headings', 'paragraphs', 'custom'], 'title').describe(
      'Elements to find; custom uses selector',
    ),
    selector: optionalText.describe('CSS selector, for the target custom'),
    extractionType: choice(['textContent', 'innerHtml', 'outerHtml', 'attribute'], 'textContent').describe(
      'What is returned of an element',
    ),
    attributeName: optionalText.describe('Name of the attribute, for the extraction type attribute'),
    returnMultiple: flag.describe('Whether the output is a list of all elements, and not the first'),
  }),
  run: async ({ html, target, selector, extractionType, attributeName, returnMultiple }) => {
    const wanted = target === 'custom' ? selector : selectorOf[target]
    if (wanted === undefined) throw new StepFailure('selector is required for the target custom.')
    if (extractionType === 'attribute' && attributeName === undefined)
      throw new StepFailure('attributeName is required for the extraction type attribute.')
    const { selectHtml } = await import('./select-html.ts')
    const values = selectHtml(html, wanted, returnMultiple ? Number.POSITIVE_INFINITY : 1).map((element) => {
      if (extractionType === 'attribute') return element.attributes.get((attributeName as string).toLowerCase()) ?? ''
      return extractionType === 'textContent' ? element.text : element[extractionType]
    })
    return done(returnMultiple ? values : (values[0] ?? null))
  },
})

/** Joins, splits, searches and converts texts. Saved definitions have the names of its actions and fields. */
export const textHelper: Piece = {
  names: ['text-helper'],
  triggers: {},
  actions: {
    concat: action({
      title: 'Concatenate texts',
      example: { texts: ['Ada', 'King'], seperator: ' ' },
      isInternal: true,
      // The public field is spelled this way.
      input: fields({
        texts: textList.describe('Texts to join, or a list as JSON'),
        seperator: anyText.describe('Text between two of them'),
      }),
      run: async ({ texts, seperator }) => done(texts.join(seperator)),
    }),
    replace: action({
      title: 'Replace in a text',
      example: { text: 'a-b-c', searchValue: '-', replaceValue: ' ' },
      isInternal: true,
      input: fields({
        text: text.describe('Text to change'),
        searchValue: text.describe('Regular expression to find'),
        replaceValue: anyText.describe('Text in its place; $1 is the first group'),
        replaceOnlyFirst: flag.describe('Whether only the first place is replaced'),
      }),
      run: async ({ text: given, searchValue, replaceValue, replaceOnlyFirst }) =>
        done(
          applyPattern(
            'searchValue',
            searchValue,
            `given.replace(new RegExp(pattern, '${replaceOnlyFirst ? '' : 'g'}'), replaceValue)`,
            { given, replaceValue },
          ),
        ),
    }),
    split: action({
      title: 'Split a text',
      example: { text: 'a,b,c', delimiter: ',' },
      isInternal: true,
      input: fields({
        text: text.describe('Text to split'),
        delimiter: text.describe('Text between two parts'),
      }),
      run: async ({ text: given, delimiter }) => done(given.split(delimiter)),
    }),
    find: action({
      title: 'Find in a text',
      example: { text: 'Order 42', expression: '\\d+' },
      isInternal: true,
      input: fields({ text: text.describe('Text to search'), expression: text.describe('Regular expression to find') }),
      run: async ({ text: given, expression }) =>
        done(applyPattern('expression', expression, 'given.match(new RegExp(pattern))', { given })),
    }),
    find_all: action({
      title: 'Find all in a text',
      example: { text: 'Orders 42 and 43', expression: '\\d+' },
      isInternal: true,
      input: fields({
        text: text.describe('Text to search'),
        expression: text.describe('Regular expression to find'),
        ignoreCase: flag.describe('Whether upper and lower case are the same'),
      }),
      run: async ({ text: given, expression, ignoreCase }) =>
        done(
          applyPattern(
            'expression',
            expression,
            `Array.from(given.matchAll(new RegExp(pattern, '${ignoreCase ? 'gi' : 'g'}')), (it) => it[0])`,
            { given },
          ),
        ),
    }),
    markdown_to_html: action({
      title: 'Convert Markdown to HTML',
      example: { markdown: '# Hello\n\n*Ada*', flavor: 'github' },
      isInternal: true,
      input: fields({
        markdown: content.describe('Markdown to convert'),
        flavor: choice(flavors, 'github').describe('Variant of Markdown'),
        headerLevelStart: wholeNumber(1, 1, 6).describe('Level of the highest heading'),
        tables: setFlag.describe('Whether tables are converted'),
        noHeaderId: flag.describe('Whether headings have no id'),
        simpleLineBreaks: flag.describe('Whether a line break is one in HTML'),
        openLinksInNewWindow: flag.describe('Whether links open in a new window'),
      }),
      run: async ({ markdown, ...options }) =>
        done((await import('./markdown-to-html.ts')).markdownToHtml(markdown, options)),
    }),
    html_to_markdown: action({
      title: 'Convert HTML to Markdown',
      example: { html: '<h1>Hello</h1>' },
      isInternal: true,
      input: fields({ html: content.describe('HTML to convert') }),
      run: async ({ html }) => done((await import('./html-to-markdown.ts')).htmlToMarkdown(html)),
    }),
    stripHtml: action({
      title: 'Remove HTML tags',
      example: { html: '<p>Hello <b>Ada</b></p>' },
      isInternal: true,
      input: fields({ html: content.describe('HTML whose tags are removed') }),
      run: async ({ html }) => done((await import('./html-tokens.ts')).stripHtml(html)),
    }),
    extract_from_html: extractFromHtml,
    slugify: action({
      title: 'Text for use in URLs',
      example: { text: 'Opening hours' },
      isInternal: true,
      input: fields({ text: text.describe('Text to convert') }),
      run: async ({ text: given }) => done(slugify(given)),
    }),
    json_to_ascii_table: action({
      title: 'Convert a list to a text table',
      example: { data: [{ name: 'Ada', city: 'Paris' }] },
      isInternal: true,
      input: fields({ data: anything.describe('List of objects, or its JSON as text') }),
      run: async ({ data }) => done(renderTextTable(fromJson(data))),
    }),
    defaultValue: action({
      title: 'Default of an empty value',
      example: { value: '{{trigger.body.city}}', defaultString: 'unknown' },
      isInternal: true,
      input: fields({
        value: anything.describe('Output, unless it is empty'),
        defaultString: text.describe('Output in place of an empty value'),
      }),
      run: async ({ value, defaultString }) => done(isEmpty(value) ? defaultString : value),
    }),
  },
}
