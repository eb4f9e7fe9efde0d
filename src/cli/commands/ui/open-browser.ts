import type { System } from '../../../system.ts'

/** Returns the command that opens a URL; undefined without a display. */
function commandOf({ os, env }: Pick<System, 'os' | 'env'>): readonly [string, ...string[]] | undefined {
  if (env.BROWSER === 'none') return undefined
  if (os === 'darwin') return ['open']
  // The shell of Windows would read "&" in the URL.
  if (os === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}

/** Opens a URL in the browser of the user. Returns whether there is one. */
export async function openBrowser(system: Pick<System, 'os' | 'env' | 'run'>, url: string): Promise<boolean> {
  const found = commandOf(system)
  if (!found) return false
  const [program, ...args] = found
  const result = await system.run(program, [...args, url], { interactive: false }).catch(() => undefined)
  return result?.exitCode === 0
}
