import type * as z from 'zod'
import type { Shape } from '../output/format.ts'
import type { Command } from './command.ts'
import { registerNames } from './command-names.ts'

/** A command in the tree. Its module is loaded when it runs or its help is shown. */
export interface Verb {
  readonly load: () => Promise<Command>
  readonly aliases?: readonly string[]
  /** Prints more than one response, or reads more than one. main.ts then lets schemas be compiled, which pays only for many values. */
  readonly isLongRunning?: true
  /** Nested verbs: `server clock get`. */
  readonly verbs?: never
}

/** A group of commands, such as `assistants` or `server clock`. */
export interface Noun {
  readonly summary: string
  readonly aliases?: readonly string[]
  readonly verbs: Readonly<Record<string, Verb | Noun>>
  /** Verb used if the next word is not a verb: an older form of the command, `automate versions <id>`. */
  readonly fallback?: string
  readonly load?: never
}

export type Node = Verb | Noun
export type Nodes = Readonly<Record<string, Node>>

/** What the reference derives from the commands, for errors and help of the command that runs. */
interface CommandReference {
  readonly loadSchemas: () => Promise<{
    /** Returns the schema of the output of --json; null if a command prints text. */
    readonly printedSchema: (words: string, command: Command) => z.ZodType | null
    /** Returns the view of a command and the schema of the items that it prints. */
    readonly printedShape: (words: string, command: Command) => Shape<never>
  }>
  readonly loadHelp: () => Promise<{
    /** Returns the help page of a command in a width of columns. */
    readonly commandHelp: (
      words: string,
      command: Command,
      columns: number | undefined,
      aliases?: readonly string[],
    ) => string
  }>
}

const registered = { tree: {} as Nodes, reference: undefined as CommandReference | undefined }

/** Makes the commands known to the parts that all of them use (src/cli/tree.ts). */
export function registerCommands(tree: Nodes, reference: CommandReference): void {
  registered.tree = tree
  registerNames(tree)
  registered.reference = reference
}

/** Returns all commands by their first word. */
export const commandTree = (): Nodes => registered.tree

/** Returns what the reference derives from the commands. */
export function commandReference(): CommandReference {
  if (!registered.reference) throw new TypeError('The commands are not registered: import src/cli/tree.ts first.')
  return registered.reference
}
