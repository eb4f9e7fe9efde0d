import { filesIn, read } from '../support/sources.ts'

/** A page of the documentation. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** A block of code: the word after its opening fence, and the name of the file it shows where a comment names one. */
export interface Block {
  readonly kind: string
  readonly text: string
  readonly file: string | undefined
}

/** Pages written by hand, with generated tables at most. */
export const written: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'changes/README.md',
  ...filesIn('docs'),
]
  .filter((it) => it.endsWith('.md') && !['docs/cli-reference.md', 'docs/errors.md'].includes(it))
  .map((path) => ({ path, text: read(path) }))

/** Every page, generated ones too. */
export const pages: readonly Page[] = [
  ...written,
  ...['docs/cli-reference.md', 'docs/errors.md'].map((path) => ({ path, text: read(path) })),
]

export const page = (path: string): Page => {
  const found = pages.find((it) => it.path === path)
  if (!found) throw new Error(`There is no page ${path}`)
  return found
}

/** The blocks of code of a page, in order. `<!-- file: name -->` before a block says that it shows that file. */
export const blocksOf = ({ text }: Page): Block[] =>
  [...text.matchAll(/(?:^<!-- file: (\S+) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, file, kind = '', body = '']) => ({ kind, text: body, file }),
  )

/** Code inside running text. */
export const inlineOf = ({ text }: Page): string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map((it) => it[1] as string)

/** Command lines of a block, without their comments; a line that ends with a backslash continues on the next. */
export const linesOf = (block: string): string[] =>
  block
    .replaceAll(/ *\\\n */g, ' ')
    .split('\n')
    .filter((it) => it !== '')
