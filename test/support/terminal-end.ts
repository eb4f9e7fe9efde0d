import { closeSync, constants, openSync, writeSync } from 'node:fs'
import type { IPty } from '@lydell/node-pty'

/** A control sequence that programs do not send. */
const endMark = '\x1b]parley-test-end\x07'

/** Fields of node-pty's terminals that its types leave out. */
interface Internals {
  readonly _pty: string
  readonly _socket: { destroy(error?: Error): unknown }
  once(event: string, listener: () => void): void
}

/** Separates the output of the program from the mark of its end. */
export interface TerminalEnd {
  /** Returns the output so far without the mark. */
  read(drawn: string): string
}

/**
 * Keeps a terminal open until all output of its program was read. Node ends a terminal whose program has ended after the
 * next chunk of at most 4 kB, and node-pty after 200 ms, so that a busy process would lose the rest. As this process
 * holds the other end open too, the output ends with a mark that is written when the program has ended.
 */
export function keepOpen(child: IPty): TerminalEnd {
  if (process.platform !== 'linux') return { read: (drawn) => drawn }
  const terminal = child as unknown as Internals
  const held = openSync(terminal._pty, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK)
  const { _socket: socket } = terminal
  const destroy = socket.destroy.bind(socket)
  let isHeld = true
  const release = (): void => {
    if (!isHeld) return
    isHeld = false
    closeSync(held)
    destroy()
  }
  socket.destroy = (error) => (error || !isHeld ? destroy(error) : socket)
  const once = terminal.once.bind(terminal)
  // node-pty waits for this event from the moment the program has ended.
  terminal.once = (event, listener) => {
    once(event, listener)
    if (event === 'close') mark(held)
  }
  return {
    read(drawn) {
      if (!drawn.endsWith(endMark)) return drawn
      release()
      return drawn.slice(0, -endMark.length)
    },
  }
}

/** Writes the mark when there is room for it, which there is once the output before it was read. */
function mark(held: number, rest = endMark): void {
  let written = 0
  try {
    written = writeSync(held, rest)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
  if (written < rest.length) setImmediate(mark, held, rest.slice(written))
}
