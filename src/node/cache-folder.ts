type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the user's own cache folder of the program; undefined for a user without a home folder. The completion has the same rule
 * (cli/program/lists/completion-cache.ts).
 */
export function cacheFolder(
  { PARLEY_CACHE_DIR: own, XDG_CACHE_HOME: cache, LOCALAPPDATA: local, HOME, USERPROFILE }: Environment,
  os: string,
): string | undefined {
  const home = HOME || USERPROFILE
  const base = cache || local || (home && `${home}${os === 'darwin' ? '/Library/Caches' : '/.cache'}`)
  return own || (base && `${base}/parley`)
}
