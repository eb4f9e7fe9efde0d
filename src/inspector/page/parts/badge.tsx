import { stateText, toneOf } from '../../../contract/values/states.ts'

/**
 * A state as a word with a colored dot, in the words and tones of the terminal. `text` replaces the word, such as
 * `ends in 9 d`.
 */
export const Badge = ({ status, text }: { status: string | null | undefined; text?: string | undefined }) =>
  status ? <span class={`badge ${toneOf(status) ?? 'plain'}`}>{text ?? stateText(status)}</span> : null
