import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** Kinds of changes, in the order in which the changelog lists them. */
export const kinds = ['breaking', 'security', 'added', 'changed', 'fixed', 'removed'] as const
export type Kind = (typeof kinds)[number]

/** One change that a user notices: a file of `changes`. */
export interface Fragment {
  /** Path from the root of the repository, with slashes. */
  readonly path: string
  readonly kind: Kind
  /** Noun or topic under which the changelog lists it. */
  readonly about: string
  /** One line, with Markdown. */
  readonly text: string
}

const folder = 'changes'
const maxLength = 200

/** Reads one file of `changes`. Throws with the path and the fix where it is not a fragment. */
export function parseFragment(path: string, source: string): Fragment {
  const refuse = (problem: string): never => {
    throw new Error(`${path}: ${problem} See changes/README.md.`)
  }
  if (!/^[a-z0-9][a-z0-9-]*\.md$/.test(path.slice(path.lastIndexOf('/') + 1)))
    refuse('The name of the file must be lower-case words joined by dashes.')
  const [, head, body] = /^---\n(.*?)\n---\n(.*)$/s.exec(source.replaceAll('\r\n', '\n')) ?? []
  if (head === undefined || body === undefined)
    return refuse('The file must begin with "---", kind and about, and "---".')
  const fields = readFields(head, refuse)
  const { kind, about } = fields
  const unknown = Object.keys(fields).filter((name) => !['kind', 'about'].includes(name))
  if (unknown.length > 0) refuse(`Unknown field "${unknown[0]}". The fields are kind and about.`)
  if (!kinds.includes(kind as Kind)) refuse(`Unknown kind "${kind ?? ''}". Use one of ${kinds.join(', ')}.`)
  if (typeof about !== 'string' || !/^[a-z0-9][a-z0-9 -]*$/.test(about))
    refuse('"about" must be a noun of a command or a topic in lower case.')
  const text = body.trim()
  if (text === '') refuse('There is no text.')
  if (text.includes('\n')) refuse('The text must be one line.')
  if (text.length > maxLength) refuse(`The text has ${text.length} characters, more than ${maxLength}.`)
  if (/^[-*#]/.test(text)) refuse('The text must not begin with a list or heading mark.')
  return { path, kind: kind as Kind, about: about as string, text }
}

function readFields(head: string, refuse: (problem: string) => never): Record<string, unknown> {
  let fields: unknown
  try {
    fields = parse(head)
  } catch (error) {
    return refuse(`Invalid YAML: ${(error as Error).message.split('\n')[0]}`)
  }
  return fields && typeof fields === 'object' ? (fields as Record<string, unknown>) : refuse('There is no kind.')
}

/** Returns the fragments of a repository by path. Throws with all problems, one a line. */
export function readFragments(root: string): Fragment[] {
  if (!existsSync(join(root, folder))) return []
  const problems: string[] = []
  const fragments = readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.name !== 'README.md')
    .map((entry) => `${folder}/${entry.name}`)
    .sort()
    .flatMap((path) => {
      try {
        return [parseFragment(path, readFileSync(join(root, path), 'utf8'))]
      } catch (error) {
        problems.push((error as Error).message)
        return []
      }
    })
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return fragments
}
