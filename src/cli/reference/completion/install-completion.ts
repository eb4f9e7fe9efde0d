import { existsSync, lstatSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { quoteForShell } from '../../../client/requests/shell-quote.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import type { System } from '../../program/system.ts'
import { completionScripts } from './shell-scripts.ts'

export type Shell = keyof typeof completionScripts

/**
 * Completion files of a shell: the script, and the lines in its startup file that load it, unless the shell finds
 * scripts automatically.
 */
interface InstallTarget {
  readonly script: string
  readonly startup?: { readonly file: string; readonly lines: readonly string[] }
}

interface InstallStep {
  readonly file: string
  readonly done: 'written' | 'updated' | 'removed' | 'cleaned' | 'unchanged'
}

/** Lines around the block in startup files of users. The block is found by them again: they never change. */
const [begin, end] = ['# >>> completion of parley >>>', '# <<< completion of parley <<<']

/** Returns the user's shell if there is a script for it. */
export function detectShell({ env, os }: Pick<System, 'env' | 'os'>): Shell | undefined {
  const name = (env.SHELL ?? '').replace(/^.*\//, '')
  if (Object.hasOwn(completionScripts, name)) return name as Shell
  return os === 'win32' && env.SHELL === undefined ? 'powershell' : undefined
}

/** Returns the files of a shell; undefined for a shell whose startup file is known only to itself. */
function installTarget({ env, home, os }: System, shell: Shell): InstallTarget | undefined {
  const scriptPath = (name: string): string => join(dataDir({ env, home, os }), 'completion', name)
  if (shell === 'fish')
    return { script: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish', 'completions', 'parley.fish') }
  if (shell === 'bash') {
    const script = scriptPath('parley.bash')
    // A login shell on macOS reads only this file.
    const file = join(home, os === 'darwin' && !existsSync(join(home, '.bashrc')) ? '.bash_profile' : '.bashrc')
    return { script, startup: { file, lines: [`[ -r ${quoteForShell(script)} ] && . ${quoteForShell(script)}`] } }
  }
  if (shell === 'zsh') {
    const script = scriptPath('_parley')
    const lines = [
      '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }',
      `[[ -r ${quoteForShell(script)} ]] && source ${quoteForShell(script)}`,
    ]
    return { script, startup: { file: join(env.ZDOTDIR || home, '.zshrc'), lines } }
  }
  return undefined
}

/** Writes the script and adds a marked block to the startup file. Idempotent. */
export function installCompletion(system: System, shell: Shell, isDry: boolean): InstallStep[] | undefined {
  const place = installTarget(system, shell)
  if (!place) return undefined
  const steps: InstallStep[] = [
    {
      file: place.script,
      done: writeIfChanged(place.script, completionScripts[shell], isDry) ? 'written' : 'unchanged',
    },
  ]
  if (!place.startup) return steps
  const { file, lines } = place.startup
  const before = read(file) ?? ''
  const block = [begin, ...lines, end, ''].join('\n')
  const rest = withoutBlock(before)
  const after = before.includes(block) ? before : `${rest}${rest === '' || rest.endsWith('\n') ? '' : '\n'}${block}`
  return [...steps, { file, done: writeIfChanged(file, after, isDry) ? 'updated' : 'unchanged' }]
}

/** Removes the script and the marked block. The rest of the startup file is preserved. */
export function uninstallCompletion(system: System, shell: Shell, isDry: boolean): InstallStep[] | undefined {
  const place = installTarget(system, shell)
  if (!place) return undefined
  const isThere = existsSync(place.script)
  if (isThere && !isDry) rmSync(place.script)
  const steps: InstallStep[] = [{ file: place.script, done: isThere ? 'removed' : 'unchanged' }]
  if (!place.startup) return steps
  const before = read(place.startup.file)
  const isChanged = before !== undefined && writeIfChanged(place.startup.file, withoutBlock(before), isDry)
  return [...steps, { file: place.startup.file, done: isChanged ? 'cleaned' : 'unchanged' }]
}

function withoutBlock(text: string): string {
  const from = text.indexOf(begin)
  const to = text.indexOf(`${end}\n`, from)
  return from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + end.length + 1)
}

/**
 * Replaces a file atomically if its content differs, following links and preserving its mode. Returns whether it
 * differed.
 */
function writeIfChanged(file: string, text: string, isDry: boolean): boolean {
  if (read(file) === text) return false
  if (isDry) return true
  makeFolder(dirname(file))
  const target = lstatSync(file, { throwIfNoEntry: false }) ? realpathSync(file) : file
  replaceFile(target, text, { mode: 'keep' })
  return true
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
