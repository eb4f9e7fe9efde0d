import { runInNewContext } from 'node:vm'
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
import { slugify } from './slugify.ts'
import { renderTextTable } from './text-table.ts'

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
  isInternal: true,
  input: fields({
    html: text,
    target: choice(['title', 'links', 'images', 'headings', 'paragraphs', 'custom'], 'title'),
    selector: optionalText,
    extractionType: choice(['textContent', 'innerHtml', 'outerHtml', 'attribute'], 'textContent'),
    attributeName: optionalText,
    returnMultiple: flag,
  }),
  run: async ({ html, target, selector, extractionType, attributeName, returnMultiple }) => {
    const wanted = target === 'custom' ? selector : selectorOf[target]
    if (wanted === undefined) throw new StepFailure('selector is required for the target custom.')
    if (extractionType === 'attribute' && attributeName === undefined)
      throw new StepFailure('attributeName is required for the extraction type attribute.')
    const { selectHtml } = await import('./select-html.ts')
    const values = selectHtml(html, wanted, returnMultiple ? Number.POSITIVE_INFINITY : 1).map((it) => {
      if (extractionType === 'attribute') return it.attributes.get((attributeName as string).toLowerCase()) ?? ''
      return extractionType === 'textContent' ? it.text : it[extractionType]
    })
    return done(returnMultiple ? values : (values[0] ?? null))
  },
})

/** Joins, splits, searches and converts texts. */
export const textHelper: Piece = {
  names: ['text-helper'],
  triggers: {},
  actions: {
    concat: action({
      title: 'Concatenate texts',
      isInternal: true,
      // The public field is spelled this way.
      input: fields({ texts: textList, seperator: anyText }),
      run: async ({ texts, seperator }) => done(texts.join(seperator)),
    }),
    replace: action({
      title: 'Replace in a text',
      isInternal: true,
      input: fields({ text, searchValue: text, replaceValue: anyText, replaceOnlyFirst: flag }),
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
      isInternal: true,
      input: fields({ text, delimiter: text }),
      run: async ({ text: given, delimiter }) => done(given.split(delimiter)),
    }),
    find: action({
      title: 'Find in a text',
      isInternal: true,
      input: fields({ text, expression: text }),
      run: async ({ text: given, expression }) =>
        done(applyPattern('expression', expression, 'given.match(new RegExp(pattern))', { given })),
    }),
    find_all: action({
      title: 'Find all in a text',
      isInternal: true,
      input: fields({ text, expression: text, ignoreCase: flag }),
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
      isInternal: true,
      input: fields({
        markdown: content,
        flavor: choice(flavors, 'github'),
        headerLevelStart: wholeNumber(1, 1, 6),
        tables: setFlag,
        noHeaderId: flag,
        simpleLineBreaks: flag,
        openLinksInNewWindow: flag,
      }),
      run: async ({ markdown, ...options }) =>
        done((await import('./markdown-to-html.ts')).markdownToHtml(markdown, options)),
    }),
    html_to_markdown: action({
      title: 'Convert HTML to Markdown',
      isInternal: true,
      input: fields({ html: content }),
      run: async ({ html }) => done((await import('./html-to-markdown.ts')).htmlToMarkdown(html)),
    }),
    stripHtml: action({
      title: 'Remove HTML tags',
      isInternal: true,
      input: fields({ html: content }),
      run: async ({ html }) => done((await import('./strip-html.ts')).stripHtml(html)),
    }),
    extract_from_html: extractFromHtml,
    slugify: action({
      title: 'Text for use in URLs',
      isInternal: true,
      input: fields({ text }),
      run: async ({ text: given }) => done(slugify(given)),
    }),
    json_to_ascii_table: action({
      title: 'Convert a list to a text table',
      isInternal: true,
      input: fields({ data: anything }),
      run: async ({ data }) => done(renderTextTable(fromJson(data))),
    }),
    defaultValue: action({
      title: 'Default of an empty value',
      isInternal: true,
      input: fields({ value: anything, defaultString: text }),
      run: async ({ value, defaultString }) => done(isEmpty(value) ? defaultString : value),
    }),
  },
}
