import type { TurnEvent } from '../../../contract/control/turns.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../context.ts'
import { renderTranscript } from '../../output/transcript.ts'
import { isEnabled, loadPaint } from '../../terminal/color.ts'
import { createLiveText } from '../../terminal/live-text.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import type { Answer } from './exchange.ts'
import { silent } from './send.ts'

type Run = Answer['function_calls'][number]

/** Shows a reply while it is generated, then any missing rest. */
export interface ReplyRenderer {
  readonly onEvent: ((event: TurnEvent) => Promise<void>) | undefined
  done(answer: Answer): Promise<void>
  /** Ends the current line if the request fails. */
  failed(): Promise<void>
}

const nameColumnWidth = 11

/** Formats the result of a function on one line. */
const resultLine = ({ result }: Run, room: number): string => {
  const text =
    'error' in result ? `failed: ${String((result as { error: unknown }).error)}` : `returned ${stringifyJson(result)}`
  return text.length > room ? `${text.slice(0, room - 1)}…` : text
}

/** Creates the renderer for people. Accessible mode and output to a file get whole replies. */
export async function createReplyRenderer({ out, notes, system }: Context): Promise<ReplyRenderer> {
  const { stdout } = system.streams
  const { settings } = out
  const isLive = settings.terminal && !isEnabled(system.env.ACCESSIBLE)
  const styles = await loadPaint(settings.color)
  const room = Math.max(20, Math.min(settings.columns || 80, 100) - nameColumnWidth)
  let shown = ''
  let calls = 0
  let text = newText()

  function newText() {
    return createLiveText(stdout, `${styles.cyan('Assistant')}  `, nameColumnWidth)
  }
  const functionLines = (run: Run): string =>
    [`ran ${run.name} ${stringifyJson(run.arguments)}`, resultLine(run, room)]
      .map((it) => `${' '.repeat(nameColumnWidth)}${styles.dim(safeLine(it))}\n`)
      .join('')

  async function onEvent(event: TurnEvent): Promise<void> {
    if (event.type === 'text') {
      shown += event.text
      return text.push(event.text)
    }
    calls++
    await text.end()
    text = newText()
    await stdout.write(functionLines(event))
  }

  return {
    onEvent: isLive ? onEvent : undefined,
    async done({ message, function_calls }) {
      for (const run of isLive ? function_calls.slice(calls) : []) await onEvent({ type: 'function', ...run })
      if (message === '') {
        await text.end()
        return notes.note(silent)
      }
      if (!isLive)
        return stdout.write(await renderTranscript([{ role: 'assistant', content: message, function_calls }], settings))
      const shownText = shown.trim()
      if (message.startsWith(shownText)) await text.push(message.slice(shownText.length))
      else {
        // The stored message may differ from the streamed text, such as the greeting after a transfer.
        await text.end()
        text = newText()
        await text.push(message)
      }
      await text.end()
    },
    failed: () => text.end(),
  }
}
