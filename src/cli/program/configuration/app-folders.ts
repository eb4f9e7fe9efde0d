import type { System } from '../system.ts'

type SystemInfo = Pick<System, 'env' | 'home' | 'os'>

const join = (...parts: string[]): string => parts.join('/')

/** Name of the file with profiles in the configuration folder. Existing files have it: it never changes. */
export const configurationFileName = 'config.json'

/** Returns the configuration folder, which holds profiles and their keys. Existing files are found by it: it never changes. */
export function configDir(system: SystemInfo): string {
  // A user may have no home folder, so it is read only if it is needed.
  const { env, os } = system
  if (env.PARLEY_CONFIG_DIR) return env.PARLEY_CONFIG_DIR
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'parley')
  const { home } = system
  if (os === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'parley')
  return os === 'darwin' ? join(home, 'Library', 'Preferences', 'parley') : join(home, '.config', 'parley')
}

/**
 * Returns the data folder of the local platform, which holds its database, its credentials and the operations journal.
 * Existing data is found by it: it never changes.
 */
export function dataDir(system: SystemInfo): string {
  const { env, os } = system
  if (env.PARLEY_DATA_DIR) return env.PARLEY_DATA_DIR
  if (env.XDG_DATA_HOME) return join(env.XDG_DATA_HOME, 'parley')
  const { home } = system
  if (os === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'parley')
  return os === 'darwin'
    ? join(home, 'Library', 'Application Support', 'parley')
    : join(home, '.local', 'share', 'parley')
}
