import { createDescriptorSink, createDescriptorSource } from './descriptor-streams.ts'
import { type Streams, sinkFromNode, sourceFromNode } from './streams.ts'

/** The system and standard streams of a process. A stream is created when it is read. */
type StandardStreams = Pick<NodeJS.Process, 'platform' | 'stdin' | 'stdout' | 'stderr'>

/** Returns the standard streams of a process. */
export function standardStreams(node: StandardStreams): Streams {
  // Writing to file descriptors directly is not reliable on Windows.
  if (node.platform === 'win32')
    return {
      stdin: sourceFromNode(node.stdin),
      stdout: sinkFromNode(node.stdout),
      stderr: sinkFromNode(node.stderr),
    }
  return {
    stdin: createDescriptorSource(0, () => node.stdin),
    stdout: createDescriptorSink(1, () => node.stdout),
    stderr: createDescriptorSink(2, () => node.stderr),
  }
}
