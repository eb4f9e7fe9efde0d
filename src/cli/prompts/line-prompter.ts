import { createInterface } from 'node:readline'
import { StringDecoder } from 'node:string_decoder'
import { fitText } from '../terminal/fit-text.ts'
import type { NodeInput, Sink } from '../terminal/streams.ts'
import { filterChoices } from './filter-choices.ts'
import { escapeSequences } from './key-reader.ts'
import { type Choice, Interrupted, type Prompter } from './prompts.ts'

/** Waits for what `listen` hears; Interrupted when the signal is aborted first. `listen` answers how to stop listening. */
function listenOnce<T>(
  signal: AbortSignal | undefined,
  listen: (done: (value: T) => void, stop: () => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      signal?.removeEventListener('abort', stop)
      close()
    }
    const stop = (): void => {
      leave()
      reject(new Interrupted(signal?.reason))
    }
    const close = listen((value) => {
      leave()
      resolve(value)
    }, stop)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop)
  })
}

/** One line as the terminal itself lets people edit it: nothing is redrawn. */
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

/** One line of keys, on a terminal that is already raw and so shows none of them. */
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

/** Longer lists show this many at first, and what matches on request. */
const maxShown = 20

/** Questions line by line with numbered choices: nothing is redrawn, nothing moves. For screen readers and terminals that cannot draw. */
export function createLinePrompter(input: NodeInput, stderr: Sink): Prompter {
  /** With its lines ended between words. */
  const wrapped = (text: string): Promise<string> => fitText(text, { terminal: true, columns: stderr.columns })

  const askLine = async (question: string, signal: AbortSignal | undefined, read = readLine): Promise<string> => {
    const isHidden = read === readHidden
    // Before the question stands there: whoever is quick would see the first keys.
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
    const lines = some.slice(0, maxShown).map((it) => {
      const reason = typeof it.disabled === 'string' ? it.disabled : 'not available'
      return `  ${all.indexOf(it) + 1}. ${it.name}${it.description ? `: ${it.description}` : ''}${it.disabled ? ` (${reason})` : ''}\n`
    })
    if (some.length > maxShown) lines.push(`  ${some.length - maxShown} more. Type part of a name to find one.\n`)
    await stderr.write(await wrapped(lines.join('')))
  }

  const confirm: Prompter['confirm'] = async (message, signal) => {
    for (;;) {
      const answer = (await askLine(`${message} (y/N)`, signal)).trim().toLowerCase()
      if (answer === 'y' || answer === 'yes') return true
      if (answer === '' || answer === 'n' || answer === 'no') return false
      await stderr.write('Answer y or n.\n')
    }
  }

  const select: Prompter['select'] = async (message, choices, _searchable, signal) => {
    await stderr.write(`${await wrapped(message)}\n`)
    await show(choices, choices)
    for (;;) {
      const answer = (await askLine(`Number from 1 to ${choices.length}:`, signal)).trim()
      const choice =
        (/^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined) ?? choices.find((it) => it.name === answer)
      if (choice && !choice.disabled) return choice.value
      const found = answer === '' || choice ? [] : filterChoices(choices, answer)
      if (found.length > 0) await show(choices, found)
      else await stderr.write(choice ? 'That one cannot be chosen.\n' : 'That is none of the choices.\n')
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
        await stderr.write(`${await wrapped(verdict || 'That is not valid.')}\n`)
      }
    },
    password: (message, signal) => askLine(message, signal, readHidden),
  }
}
