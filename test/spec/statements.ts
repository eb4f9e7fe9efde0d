import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { read, root } from '../support/sources.ts'

/** A checkable statement of the specification. */
export interface Statement {
  /** Section of the specification and a name within it: `4.5.rule1`. */
  readonly id: string
  readonly says: string
  /** The tests that prove it: `server/requests > is not JSON: 400`, the file below `test` and the end of the test's whole name. */
  readonly tests?: readonly string[]
  /** What it waits for. */
  readonly planned?: string
}

/** What statements may wait for to the end of this work. */
export const awaitedParts: readonly string[] = ['events']

/** Every file of statements, a section each. */
export const files = (): string[] => readdirSync(join(root, 'spec')).filter((it) => it.endsWith('.yaml'))

/** Every statement, in the order of the specification. A duplicate id is an error of the YAML. */
export const statements = (): Statement[] =>
  files().flatMap((file) =>
    Object.entries(parse(read(`spec/${file}`)) as Record<string, Omit<Statement, 'id'>>).map(([id, statement]) => ({
      id,
      ...statement,
    })),
  )

/** The file of a test and the end of its name. */
export function refer(text: string): { readonly file: string; readonly name: string } {
  const at = text.indexOf(' > ')
  return { file: `test/${text.slice(0, at)}.test.ts`, name: text.slice(at + 3) }
}
