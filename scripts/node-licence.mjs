// The licence of Node, which every copy of it has to be accompanied by.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { licenceSection } from './licences.mjs'

/** Name of the file beside an executable. */
export const NODE_LICENCE = 'NODE-LICENSE.txt'

/** Where distributions of Node have it, from the folder of the executable: nodejs.org and npm, Windows, Linux packages. */
const PLACES = ['../LICENSE', 'LICENSE', '../share/doc/nodejs/LICENSE', '../share/doc/nodejs/copyright']

/**
 * Returns version and licence of a Node as a section of THIRD-PARTY-LICENSES.txt. Throws where the licence is not there.
 */
export function nodeLicence(node) {
  const folder = dirname(realpathSync(node))
  const file = PLACES.map((it) => join(folder, it)).find((it) => existsSync(it) && isOfNode(readFileSync(it, 'utf8')))
  if (!file) throw new Error(`${node} has no licence beside it. Use a Node from nodejs.org or npm`)
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1)
  return licenceSection(`node ${version}`, 'MIT', readFileSync(file, 'utf8').trim())
}

const isOfNode = (text) => text.startsWith('Node.js is licensed')
