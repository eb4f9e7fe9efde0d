import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Returns the links of built pages that lead to no file or heading of the site, one line each. */
export function deadLinks(folder: string, base: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((it) => it.replaceAll('\\', '/'))
  const html = new Map(
    files.filter((it) => it.endsWith('.html')).map((it) => [it, readFileSync(join(folder, it), 'utf8')]),
  )
  const ids = new Map(
    [...html].map(([path, text]) => [path, new Set([...text.matchAll(/ id="([^"]+)"/g)].map((it) => it[1] as string))]),
  )
  const dead = new Set<string>()
  for (const [path, text] of html)
    for (const [, link = ''] of text.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      if (/^(?:[a-z]+:|\/\/)/.test(link)) continue
      const [name = '', anchor] = link.split('#')
      const rooted = name.startsWith(base) ? name.slice(base.length) : posix.join(posix.dirname(path), name)
      const file = name === '' ? path : rooted === '' || rooted.endsWith('/') ? `${rooted}index.html` : rooted
      const isThere = existsSync(join(folder, file))
      if (!isThere || (anchor && html.has(file) && !ids.get(file)?.has(decodeURIComponent(anchor))))
        dead.add(`${path}: ${link}`)
    }
  return [...dead]
}
