/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>

export interface ColorFlags {
  /** `--color <when>`; false is `--no-color`. */
  readonly color?: 'auto' | 'always' | 'never' | false
}

/** Returns whether a variable is set to a value other than 0 or false. */
export const isEnabled = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false'

/**
 * Returns whether a sink gets color. The first setting decides: the flag, NO_COLOR (any text), FORCE_COLOR (0 or false:
 * none), CLICOLOR_FORCE, CLICOLOR=0, TERM=dumb, and then whether it is a terminal. Call it separately for stdout and
 * stderr.
 */
export function colorFor(sink: { readonly isTTY: boolean }, flags: ColorFlags, env: Env): boolean {
  if (flags.color === 'always') return true
  if (flags.color === 'never' || flags.color === false) return false
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return isEnabled(env.FORCE_COLOR)
  if (isEnabled(env.CLICOLOR_FORCE)) return true
  if (env.CLICOLOR === '0' || env.TERM === 'dumb') return false
  return sink.isTTY
}

const styles = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const
type Style = (typeof styles)[number]

/** Styles by name; each returns its text unchanged if color is off. */
export type Paint = Readonly<Record<Style, (text: string) => string>>

const unchanged = (text: string): string => text

/** Styles without color. */
const plainPaint: Paint = {
  bold: unchanged,
  dim: unchanged,
  red: unchanged,
  green: unchanged,
  yellow: unchanged,
  cyan: unchanged,
}

/** Loads the styles. Only the 16 colors of the terminal theme are used, so that they match its background. */
export async function loadPaint(enabled: boolean): Promise<Paint> {
  if (!enabled) return plainPaint
  const { Chalk } = await import('chalk')
  const { bold, dim, red, green, yellow, cyan } = new Chalk({ level: 1 })
  return { bold, dim, red, green, yellow, cyan }
}
