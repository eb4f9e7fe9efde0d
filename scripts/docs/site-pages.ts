import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { tree } from '../../src/cli/tree.ts'
import { anchorOf, table } from '../../src/generate/markdown.ts'
import { commandPages, commandPath, commandsPath, linkTo, topicPath } from './command-pages.ts'
import { housePicture } from './house-picture.ts'

/** A link of the navigation: a page and what it covers. */
export interface NavigationLink {
  readonly title: string
  readonly path: string
  readonly about: string
}

/** A group of the navigation: what a reader wants to do. */
export interface NavigationGroup {
  readonly title: string
  readonly links: readonly NavigationLink[]
}

/** Everything the generator of the site gets. */
export interface Site {
  /** Text of each page, by its path on the site. */
  readonly pages: ReadonlyMap<string, string>
  /** Pictures, by their path on the site. */
  readonly pictures: ReadonlyMap<string, string | Buffer>
  readonly navigation: readonly NavigationGroup[]
  /** Pages of commands: for each folder of them its title and pages. */
  readonly commands: readonly { readonly path: string; readonly title: string; readonly summary: string }[]
}

/** Pages that are not in docs/, and where they are on the site. */
const outside: Readonly<Record<string, string>> = {
  'README.md': 'first-steps.md',
  'AGENTS.md': 'working-on-parley.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security-policy.md',
  'CHANGELOG.md': 'changelog.md',
  'changes/README.md': 'change-notes.md',
}

/** Pages that are several pages on the site. */
const divided = ['docs/cli-reference.md', 'docs/pieces.md']

/** Changes the targets of links and pictures, except in blocks of code. A link without a target becomes its text. */
const mapLinks = (text: string, change: (target: string) => string | undefined): string =>
  text.replaceAll(
    /(^```[\s\S]*?^```$)|(!?\[((?:[^\]`]|`[^`]*`)*)\])\(([^)\s]+)\)/gm,
    (all, block: string | undefined, before: string, title: string, target: string) => {
      if (block !== undefined) return all
      const changed = change(target)
      return changed === undefined ? title : `${before}(${changed})`
    },
  )

const withoutComments = (text: string): string => text.replaceAll(/^<!-- .* -->\n/gm, '')

/** Returns the anchors of the headings of a Markdown page. */
export const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map((it) =>
      anchorOf((it[1] as string).replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')),
    ),
  )

/** Divides the page of all pieces: what comes before the first piece, and a page for each. */
function pieceSections(text: string): { readonly head: string; readonly pieces: ReadonlyMap<string, string> } {
  const [head = '', ...sections] = text.split(/^## (?=[a-z][\w-]*$)/m)
  return { head, pieces: new Map(sections.map((it) => [it.slice(0, it.indexOf('\n')), it])) }
}

const piecePath = (name: string): string => `pieces/${name}.md`

/** Returns where a link of the repository leads on the site; undefined if the site does not have it. */
function siteTarget(file: string, anchor: string | undefined, pieces: ReadonlyMap<string, string>): string | undefined {
  const withAnchor = (path: string): string => (anchor === undefined ? path : `${path}#${anchor}`)
  if (file === 'docs/cli-reference.md') {
    if (anchor === undefined) return commandsPath
    const topic = /^parley-help-(.+)$/.exec(anchor)?.[1]
    if (topic !== undefined) return topicPath(topic)
    return commandOfAnchor(anchor)
  }
  if (file === 'docs/pieces.md' && anchor !== undefined)
    for (const [name, section] of pieces)
      if (name === anchor || anchorsOf(`#${section}`).has(anchor))
        return name === anchor ? piecePath(name) : withAnchor(piecePath(name))
  const page = outside[file] ?? /^docs\/(.+\.(?:md|png|svg))$/.exec(file)?.[1]?.replace(/README\.md$/, 'index.md')
  return page === undefined ? undefined : withAnchor(page)
}

/** Returns the page of the command with this anchor in the command reference. */
function commandOfAnchor(anchor: string): string | undefined {
  let found: string | undefined
  const visit = (words: string, node: (typeof tree)[string]): void => {
    if (anchorOf(`parley ${words}`) === anchor) found = commandPath(words, node)
    for (const [verb, child] of Object.entries(node.verbs ?? {})) visit(`${words} ${verb}`, child)
  }
  for (const [noun, node] of Object.entries(tree)) visit(noun, node)
  return anchor === 'parley' ? commandsPath : found
}

/** Returns the navigation: the headings of docs/README.md and the lists under them. */
function readNavigation(index: string): NavigationGroup[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      links: [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): (.+)$/gm)].map(
        ([, title = '', path = '', about = '']) => ({
          title,
          path,
          about,
        }),
      ),
    }))
    .filter((it) => it.links.length > 0)
}

/** Returns the pages of the site: those of docs/, some of the root, and those made from the commands and pieces. */
export async function sitePages(root: string): Promise<Site> {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const files = readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => posix.join(it.parentPath.slice(root.length + 1).replaceAll('\\', '/'), it.name))
    .filter((it) => !it.startsWith('docs/.vitepress/'))
  const { head, pieces } = pieceSections(read('docs/pieces.md'))
  const pages = new Map<string, string>()
  /** Adds a page, with its links as they are on the site. */
  const add = (path: string, file: string, text: string): void => {
    const changed = mapLinks(withoutComments(text), (target) => {
      if (/^[a-z]+:/.test(target)) return target
      const [name = '', anchor] = target.split('#')
      const found = siteTarget(name === '' ? file : posix.join(posix.dirname(file), name), anchor, pieces)
      if (found !== undefined) return found.startsWith(`${path}#`) ? found.slice(path.length) : linkTo(path, found)
      if (existsSync(join(root, posix.dirname(file), name))) return undefined
      throw new Error(`${file}: there is no ${target}`)
    })
    pages.set(path, changed)
  }
  for (const file of files.filter((it) => it.endsWith('.md') && !divided.includes(it)))
    add(siteTarget(file, undefined, pieces) as string, file, read(file))
  for (const [file, path] of Object.entries(outside)) add(path, file, read(file))
  const rows = [...pieces].map(([name, section]) => [
    `[\`${name}\`](${piecePath(name)})`,
    [...section.matchAll(/^### (.+): `/gm)].map((it) => it[1]).join(', '),
  ])
  add('pieces.md', 'docs/pieces.md', head)
  pages.set('pieces.md', `${pages.get('pieces.md')}\n## Pieces\n\n${table(['Piece', 'Triggers and steps'], rows)}\n`)
  for (const [name, section] of pieces)
    add(piecePath(name), 'docs/pieces.md', `# ${section.replaceAll(/^### /gm, '## ')}`)
  const commands = await commandPages()
  for (const { path, text } of commands) pages.set(path, text)
  const pictures = new Map<string, string | Buffer>([
    ...files
      .filter((it) => /\.(?:png|svg)$/.test(it))
      .map((it) => [it.slice('docs/'.length), readFileSync(join(root, it))] as const),
    ['house.svg', housePicture()],
  ])
  const house =
    '## Rooms\n\n![The rooms of the sources as boxes with their number of files. An arrow leads from a room to a room it imports; the table below has the same in words.](house.svg)\n'
  pages.set('architecture.md', (pages.get('architecture.md') as string).replace('## Rooms\n', house))
  return { pages, pictures, navigation: readNavigation(pages.get('index.md') as string), commands }
}
