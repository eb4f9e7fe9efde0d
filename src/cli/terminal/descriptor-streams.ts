import { fstatSync, type Stats, statSync, writeSync } from 'node:fs'
import {
  type NodeInput,
  type NodeOutput,
  type Sink,
  type Source,
  sinkFromNode,
  sourceFromNode,
  toOutputError,
} from './streams.ts'

/** Bytes that any pipe has room for: writing them directly does not have to wait for its reader. */
const maxDirectBytes = 8192

/**
 * A sink over an open descriptor. The Node stream of it costs more than most commands do, so little text to a pipe or a file goes there directly;
 * a terminal, much text, and a pipe that is full get the stream that `open` gives.
 */
export function createDescriptorSink(fd: number, open: () => NodeOutput): Sink {
  const isDevice = once(() => mayBeTerminal(fd))
  const sink = once(() => sinkFromNode(open()))
  let written = 0
  let isOpen = false
  let failure: Error | undefined
  const throughStream = (text: string | Uint8Array): Promise<void> => {
    isOpen = true
    return sink().write(text)
  }
  return {
    get isTTY() {
      return isDevice() && sink().isTTY
    },
    get columns() {
      return isDevice() ? sink().columns : 0
    },
    async write(text) {
      if (failure) throw failure
      const bytes = Buffer.from(text)
      written += bytes.length
      if (isOpen || written > maxDirectBytes || isDevice()) return throughStream(text)
      let rest: Uint8Array = bytes
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return throughStream(rest)
        failure = toOutputError(error)
        throw failure
      }
    },
  }
}

/** A source over an open descriptor; its stream is opened when somebody reads, or when it may be a terminal. */
export function createDescriptorSource(fd: number, open: () => NodeInput): Source {
  const source = once(() => sourceFromNode(open()))
  return {
    get isTTY() {
      return mayBeTerminal(fd) && source().isTTY
    },
    read: () => source().read(),
    text: () => source().text(),
  }
}

/** Whether it may be a terminal, or anything else that takes more than plain writing. */
function mayBeTerminal(fd: number): boolean {
  try {
    const stats = fstatSync(fd)
    return !(stats.isFIFO() || stats.isFile() || stats.isSocket() || isNullDevice(stats))
  } catch {
    return true
  }
}

/** /dev/null, where most scripts leave standard input: opening a stream on it takes longer than most answers. */
const isNullDevice = (stats: Stats): boolean => stats.isCharacterDevice() && stats.rdev === statSync('/dev/null').rdev

function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined
  return () => (made ??= { it: make() }).it
}
