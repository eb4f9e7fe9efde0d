import { existsSync, lstatSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../node/make-folder.ts'
import type { System } from '../../system.ts'
import { dataDir } from '../configuration/app-folders.ts'
import { completionScripts } from './shell-scripts.ts'

export type Shell = keyof typeof completionScripts

/** Where a shell looks: the script, and the lines of its start-up file that load it; none where it finds scripts by itself. */
interface InstallTarget {
  readonly script: string
  readonly startup?: { readonly file: string; readonly lines: readonly string[] }
}

export interface InstallStep {
  readonly file: string
  readonly done: 'written' | 'added' | 'removed' | 'unchanged'
}

const [begin, end] = ['# >>> completion of parley >>>', '# <<< completion of parley <<<']

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`

/** The shell of this user, as far as it is one of those with a script. */
export function detectShell({ env, os }: Pick<System, 'env' | 'os'>): Shell | undefined {
  const name = (env.SHELL ?? '').replace(/^.*\//, '')
  if (Object.hasOwn(completionScripts, name)) return name as Shell
  return os === 'win32' && env.SHELL === undefined ? 'powershell' : undefined
}

/** Undefined for a shell whose start-up file only the shell itself knows. */
function installTarget({ env, home, os }: System, shell: Shell): InstallTarget | undefined {
  const scriptPath = (name: string): string => join(dataDir({ env, home, os }), 'completion', name)
  if (shell === 'fish')
    return { script: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish', 'completions', 'parley.fish') }
  if (shell === 'bash') {
    const script = scriptPath('parley.bash')
    // A login shell of macOS reads only this one.
    const file = join(home, os === 'darwin' && !existsSync(join(home, '.bashrc')) ? '.bash_profile' : '.bashrc')
    return { script, startup: { file, lines: [`[ -r ${quoted(script)} ] && . ${quoted(script)}`] } }
  }
  if (shell === 'zsh') {
    const script = scriptPath('_parley')
    const lines = [
      '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }',
      `[[ -r ${quoted(script)} ]] && source ${quoted(script)}`,
    ]
    return { script, startup: { file: join(env.ZDOTDIR || home, '.zshrc'), lines } }
  }
  return undefined
}

/** Puts the script where the shell finds it, and a marked block into its start-up file. Done twice it changes nothing. */
export function installCompletion(world: System, shell: Shell, isDry: boolean): InstallStep[] | undefined {
  const place = installTarget(world, shell)
  if (!place) return undefined
  const steps: InstallStep[] = [
    {
      file: place.script,
      done: writeIfChanged(world, place.script, completionScripts[shell], isDry) ? 'written' : 'unchanged',
    },
  ]
  if (!place.startup) return steps
  const { file, lines } = place.startup
  const before = read(file) ?? ''
  const block = [begin, ...lines, end, ''].join('\n')
  const rest = withoutBlock(before)
  const after = before.includes(block) ? before : `${rest}${rest === '' || rest.endsWith('\n') ? '' : '\n'}${block}`
  return [...steps, { file, done: writeIfChanged(world, file, after, isDry) ? 'added' : 'unchanged' }]
}

/** Takes away what `install` put there; the start-up file keeps everything else. */
export function uninstallCompletion(world: System, shell: Shell, isDry: boolean): InstallStep[] | undefined {
  const place = installTarget(world, shell)
  if (!place) return undefined
  const isThere = existsSync(place.script)
  if (isThere && !isDry) rmSync(place.script)
  const steps: InstallStep[] = [{ file: place.script, done: isThere ? 'removed' : 'unchanged' }]
  if (!place.startup) return steps
  const before = read(place.startup.file)
  const isChanged = before !== undefined && writeIfChanged(world, place.startup.file, withoutBlock(before), isDry)
  return [...steps, { file: place.startup.file, done: isChanged ? 'removed' : 'unchanged' }]
}

function withoutBlock(text: string): string {
  const from = text.indexOf(begin)
  const to = text.indexOf(`${end}\n`, from)
  return from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + end.length + 1)
}

/** Writes a file whole or not at all, through a link to where it points and with the mode it has. True when it says something new. */
function writeIfChanged({ pid }: System, file: string, text: string, isDry: boolean): boolean {
  if (read(file) === text) return false
  if (isDry) return true
  makeFolder(dirname(file))
  const target = lstatSync(file, { throwIfNoEntry: false }) ? realpathSync(file) : file
  const mode = lstatSync(target, { throwIfNoEntry: false })?.mode
  const draft = `${target}.${pid}`
  writeFileSync(draft, text, mode === undefined ? {} : { mode: mode & 0o777 })
  renameSync(draft, target)
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
