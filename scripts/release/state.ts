import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pid } from 'node:process'

/** Progress of one release, so that an interrupted one is resumed. */
export interface ReleaseState {
  readonly version: string
  /** Commit on which the release was started. */
  readonly commit: string
  /** Date in the changelog, `YYYY-MM-DD`. */
  readonly date: string
  readonly startedAt: string
  /** Contents of the files that the version changes, null for those that are deleted. Empty if it has none. */
  readonly files: Readonly<Record<string, string | null>>
  /** Steps that are finished, in order. */
  readonly done: readonly string[]
}

/** Folder of artefacts and progress, ignored by git. */
export const releaseFolder = (root: string): string => join(root, 'release')

const stateFile = (root: string) => join(releaseFolder(root), 'state.json')

/** Returns the release that was started last, or undefined. Throws where its file cannot be read. */
export function readState(root: string): ReleaseState | undefined {
  if (!existsSync(stateFile(root))) return undefined
  try {
    return JSON.parse(readFileSync(stateFile(root), 'utf8')) as ReleaseState
  } catch {
    throw new Error('release/state.json is damaged. Delete the folder release and run it again.')
  }
}

export const saveState = (root: string, state: ReleaseState): void =>
  writeWhole(stateFile(root), `${JSON.stringify(state, null, 2)}\n`)

/** Writes a file so that a killed process leaves the old one or the new one. */
export function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${pid}.tmp`
  try {
    writeFileSync(draft, text)
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}
