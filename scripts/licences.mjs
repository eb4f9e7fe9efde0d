// Collects the licenses of all packages in the bundle, from the modules that it really contains.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
])

/**
 * Returns the text of THIRD-PARTY-LICENSES.txt for module ids (absolute paths; those of the bundler start with NUL).
 * Throws with the names of packages that have no license text, or a license that requires more than keeping its notice.
 */
export function thirdPartyLicences(modules) {
  const homes = new Set(modules.map(homeOf).filter(Boolean))
  const packages = [...homes].map(describe).sort((a, b) => (a.title < b.title ? -1 : 1))
  const wrong = packages.flatMap(({ title, licence, text }) => [
    ...(isPermissive(licence)
      ? []
      : [`${title}: licence ${JSON.stringify(licence)} is not on the list of permissive ones`]),
    ...(text ? [] : [`${title}: has no licence text`]),
  ])
  if (wrong.length) throw new Error(`third-party licences:\n  ${wrong.join('\n  ')}`)
  const parts = packages.map(({ title, licence, text }) => licenceSection(title, licence, withoutBody(text)))
  const isReferred = parts.some((it) => it.includes(mitReference))
  const body = isReferred ? `${line}\n${mitReference}\n${line}\n\n${mitBody}\n` : ''
  return `The program carries parts of the packages below. Each stays under its own licence.\n\n${parts.join('\n')}\n${body}`
}

const line = '-'.repeat(80)

/** Returns a licence as a section of THIRD-PARTY-LICENSES.txt. `title` is name and version. */
export const licenceSection = (title, licence, text) => `${line}\n${title} (${licence})\n${line}\n\n${text}\n`

const mitReference = 'Terms of the MIT licence'

/** Terms of the MIT license after its copyright lines, word for word. */
const mitBody = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`

const words = (text) => text.split(/\s+/).filter(Boolean).join(' ')

/** Replaces the terms of the MIT license by a reference to the end of the file, if they are identical word for word. */
function withoutBody(text) {
  const at = text.indexOf('Permission is hereby granted')
  if (at < 0 || words(text.slice(at)) !== words(mitBody)) return text
  return `${text.slice(0, at)}(${mitReference}: at the end of this file.)`
}

/** Returns whether an SPDX expression is permissive: any side of an OR, or every side of an AND. */
export function isPermissive(licence) {
  if (typeof licence !== 'string') return false
  const plain = licence.replace(/[()]/g, '')
  return plain.split(/ OR /).some((side) => side.split(/ AND /).every((it) => PERMISSIVE.has(it.trim())))
}

/** Returns the folder of the package that contains a module, or null for sources of the project. */
function homeOf(id) {
  // The runtime of the bundler is copied into the output, so its license must be included.
  if (id.includes('rolldown/runtime')) return packageFolder(createRequire(import.meta.url).resolve('rolldown'))
  return /[\\/]node_modules[\\/]/.test(id) ? packageFolder(id.replace(/^\0/, '')) : null
}

/** A nested package.json without a version only sets `{"type":"module"}`: the package is in a folder above. */
function packageFolder(file) {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version) return folder
  }
  throw new Error(`no package around ${file}`)
}

/**
 * Describes a package. Its license does not mention compiled parts of other projects; notices/ has the texts for those.
 */
function describe(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder)
  const texts = files.filter((it) => /^(licen[cs]e|copying|notice)/i.test(it)).sort()
  const text =
    texts.map((it) => readFileSync(join(folder, it), 'utf8').trim()).join('\n\n') || fromReadme(folder, files)
  const parts = join(import.meta.dirname, 'notices', `${manifest.name}.txt`)
  const more = text && existsSync(parts) ? `\n\n${readFileSync(parts, 'utf8').trim()}` : ''
  return {
    title: `${manifest.name} ${manifest.version}`,
    licence: manifest.license ?? manifest.licenses?.[0]?.type,
    text: text + more,
  }
}

/** Returns the license text from the README, where some small packages have it as the last part. */
function fromReadme(folder, files) {
  const readme = files.find((it) => /^readme/i.test(it))
  const text = readme && readFileSync(join(folder, readme), 'utf8')
  const part = text && /^#*\s*licen[cs]e\s*\n([\s\S]*)/im.exec(text)?.[1].trim()
  return part && /permission|redistribut|copyright/i.test(part) ? part : ''
}
