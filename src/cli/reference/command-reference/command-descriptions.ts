import { fileURLToPath } from 'node:url'
import type { Risk } from '../../../contract/endpoint/endpoint.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { findBundleFile, readBundleFile } from '../../../node/bundle-file.ts'
import { parseJson } from '../../../node/json.ts'

/** Description of a flag for programs. */
export interface DescribedFlag {
  readonly flag: string
  readonly short: string | null
  /** Placeholder of its value; null if it takes none. */
  readonly value: string | null
  /** Its value is optional, and only taken after "=". */
  readonly has_optional_value?: true
  readonly describe: string
  readonly choices: readonly string[] | null
  readonly default: string | null
  readonly repeatable: boolean
  /** The request field that it sets. */
  readonly field: string | null
}

/**
 * Description of a command: its input, risk, output and exit codes. `parley commands` prints it as JSON, which coding
 * agents read: fields and words are added, not renamed.
 */
export interface CommandDescription {
  /** First in each line of the generated file, because `describeCommands` finds the line by it. */
  readonly command: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly risk: Risk
  /** Flag that confirms the command in a script; null if no confirmation is required. */
  readonly consent: '--yes' | '--confirm' | '--confirm-side-effects' | null
  /** When the flag is required: always, for a file of rows, or with `--confirm` in its place if the resource is in use. */
  readonly consent_when: 'always' | 'with_rows' | 'confirm_if_in_use' | null
  readonly endpoint: { readonly name: string; readonly method: string; readonly path: string } | null
  readonly argument: { readonly name: string; readonly describe: string; readonly several: boolean } | null
  readonly flags: readonly DescribedFlag[]
  /** JSON Schema of the document for --file and --data, or of the query. */
  readonly input_schema: object | null
  /** JSON Schema of the output of --json; null for text. */
  readonly output_schema: object | null
  readonly exit_codes: readonly { readonly code: number; readonly name: ExitName; readonly meaning: string }[]
  readonly examples: readonly string[]
}

/** Returns the descriptions of every command below the given words; without words, of all commands. */
export async function describeCommands(words: readonly string[]): Promise<CommandDescription[]> {
  const file =
    findBundleFile(import.meta.url, 'commands.ndjson.br') ??
    fileURLToPath(new URL('../../../generated/commands.ndjson', import.meta.url))
  const lines = Buffer.from(await readBundleFile(file))
    .toString()
    .trimEnd()
    .split('\n')
  // Only the lines that are asked for are parsed.
  const start = `{"command":"${words.join(' ')}`
  return lines
    .filter((line) => words.length === 0 || line.startsWith(`${start}"`) || line.startsWith(`${start} `))
    .map((line) => parseJson(line) as CommandDescription)
}
