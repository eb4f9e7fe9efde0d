import { createInterface } from 'node:readline'
import { StringDecoder } from 'node:string_decoder'
import type { NodeInput, Sink } from '../terminal/streams.ts'
import { fitText } from '../terminal/wrap-text.ts'
import { filterChoices } from './choices.ts'
import { escapeSequences } from './key-reader.ts'
import { type Choice, Interrupted, type Prompter } from './prompts.ts'

/**
 * Waits for the first value from `listen`, which returns a function that stops listening. Rejects with Interrupted if
 * the signal is aborted.
 */
function listenOnce<T>(
  signal: AbortSignal | undefined,
  listen: (done: (value: T) => void, stop: () => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cleanUp = (): void => {
      signal?.removeEventListener('abort', stop)
      close()
    }
    const stop = (): void => {
      cleanUp()
      reject(new Interrupted(signal?.reason))
    }
    const close = listen((value) => {
      cleanUp()
      resolve(value)
    }, stop)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop)
  })
}

/** Reads one line, edited by the terminal itself: nothing is redrawn. */
const readLine = (input: NodeInput, signal: AbortSignal | undefined): Promise<string> =>
  listenOnce(signal, (done, stop) => {
    const reader = createInterface({ input, terminal: false })
    reader.once('line', done)
    reader.once('close', stop)
    return () => {
      reader.removeListener('close', stop)
      reader.close()
    }
  })

/** Reads one line without echo, on a terminal in raw mode. */
const readHidden = (input: NodeInput, signal: AbortSignal | undefined): Promise<string> =>
  listenOnce(signal, (done, stop) => {
    const decoder = new StringDecoder('utf8')
    let typed: string[] = []
    const onData = (chunk: Buffer | string): void => {
      for (const key of (typeof chunk === 'string' ? chunk : decoder.write(chunk)).replace(escapeSequences, '')) {
        if (key === '\r' || key === '\n') return done(typed.join(''))
        if (key === '\x03' || (key === '\x04' && typed.length === 0)) return stop()
        if (key === '\x7f' || key === '\b') typed.pop()
        else if (key === '\x15') typed = []
        else if (key >= ' ') typed.push(key)
      }
    }
    input.on('data', onData)
    input.once('end', stop)
    input.resume()
    return () => {
      input.removeListener('data', onData)
      input.removeListener('end', stop)
      input.pause()
    }
  })

/** Number of choices to show at first; typing shows the matching ones. */
const maxShown = 20

/** Creates line-by-line prompts with numbered choices and no redrawing, for screen readers and simple terminals. */
export function createLinePrompter(input: NodeInput, stderr: Sink): Prompter {
  /** Wraps text between words. */
  const wrapped = (text: string): Promise<string> => fitText(text, { terminal: true, columns: stderr.columns })

  const askLine = async (question: string, signal: AbortSignal | undefined, read = readLine): Promise<string> => {
    const isHidden = read === readHidden
    // Raw mode is set before the prompt is shown; otherwise the first keys of a fast typist would be echoed.
    if (isHidden) input.setRawMode?.(true)
    try {
      await stderr.write(`${await wrapped(question)} `)
      const line = await read(input, signal)
      if (isHidden) await stderr.write('\n')
      return line
    } catch (error) {
      await stderr.write('\n').catch(() => {})
      throw error
    } finally {
      if (isHidden) input.setRawMode?.(false)
    }
  }

  const show = async <T>(all: readonly Choice<T>[], some: readonly Choice<T>[]): Promise<void> => {
    const lines = some.slice(0, maxShown).map((choice) => {
      const reason = typeof choice.disabled === 'string' ? choice.disabled : 'not available'
      return `  ${all.indexOf(choice) + 1}. ${choice.name}${choice.description ? `: ${choice.description}` : ''}${choice.disabled ? ` (${reason})` : ''}\n`
    })
    if (some.length > maxShown) lines.push(`  ${some.length - maxShown} more. Type part of a name to search.\n`)
    await stderr.write(await wrapped(lines.join('')))
  }

  const confirm: Prompter['confirm'] = async (message, signal) => {
    for (;;) {
      const answer = (await askLine(`${message} (y/N)`, signal)).trim().toLowerCase()
      if (answer === 'y' || answer === 'yes') return true
      if (answer === '' || answer === 'n' || answer === 'no') return false
      await stderr.write('Enter y or n.\n')
    }
  }

  const select: Prompter['select'] = async (message, choices, _searchable, signal) => {
    await stderr.write(`${await wrapped(message)}\n`)
    await show(choices, choices)
    for (;;) {
      const answer = (await askLine(`Enter a number from 1 to ${choices.length}:`, signal)).trim()
      const choice =
        (/^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined) ?? choices.find((it) => it.name === answer)
      if (choice && !choice.disabled) return choice.value
      const found = answer === '' || choice ? [] : filterChoices(choices, answer)
      if (found.length > 0) await show(choices, found)
      else await stderr.write(choice ? 'This choice is not available.\n' : 'No matching choice.\n')
    }
  }

  return {
    confirm,
    select,
    input: async (message, { mask, validate, default: preset }, signal) => {
      for (;;) {
        const typed = await askLine(preset ? `${message} (${preset})` : message, signal, mask ? readHidden : readLine)
        const answer = typed === '' ? (preset ?? '') : typed
        const verdict = validate ? await validate(answer) : true
        if (verdict === true) return answer
        await stderr.write(`${await wrapped(verdict || 'Invalid value.')}\n`)
      }
    },
    password: (message, signal) => askLine(message, signal, readHidden),
  }
}
