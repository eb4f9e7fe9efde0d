import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import process from 'node:process'
import { isAllowed, partOf } from '../test/support/rooms.ts'
import { findCircles, importsOf, isNode, root, type Source, sourcesIn, walk } from '../test/support/sources.ts'

// Prints the structure of src, for a person to judge: npm run structure [-- --list]. No number in it fails a test.

/** Returns the room of a file for the table: a room of `cli` by itself, and `entry` for files beside the rooms. */
function roomOf(path: string): string {
  const [, room = '', part = ''] = path.split('/')
  return room.endsWith('.ts') ? 'entry' : room === 'cli' ? part : room
}

const lists = process.argv.includes('--list')
const sources = sourcesIn('src')
const own = sources.filter((it) => !it.path.startsWith('src/generated/'))
const known = new Set(sources.map((it) => it.path))
const edges = own.flatMap((source) =>
  importsOf(source).flatMap(({ target, kind }) => (known.has(target) ? [{ from: source.path, to: target, kind }] : [])),
)

const print = (...lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`)
const heading = (text: string): void => print('', text, '-'.repeat(text.length))
const percent = (n: number, of: number): string => `${Math.round((100 * n) / of)} %`
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

function printTotals(): void {
  heading('Source files')
  const lines = own.map((it) => it.lines).sort((a, b) => a - b)
  print(
    `${own.length} files, ${sum(lines)} lines, median ${lines[lines.length >> 1]} lines, longest ${lines.at(-1)}`,
    `${sum([...rooms.values()].map((it) => it.length))} files in ${rooms.size} rooms: ${[...rooms].map(([room, files]) => `${room} ${files.length}`).join(', ')}`,
  )
  const chunks = join(root, 'dist/chunks')
  if (existsSync(chunks)) {
    const sizes = readdirSync(chunks).map((it) => statSync(join(chunks, it)).size)
    print(`${sizes.length} chunks of the built program, ${Math.round(sum(sizes) / 1000)} kB`)
  }
}

const rooms = new Map<string, Source[]>()
for (const source of own) rooms.set(roomOf(source.path), [...(rooms.get(roomOf(source.path)) ?? []), source])

function printImportTable(): void {
  heading('Imports between rooms (rows import columns; ! is against the rule of the house)')
  const names = [...rooms.keys()].sort()
  const isWrong = ({ from, to, kind }: (typeof edges)[number]): boolean =>
    partOf(from) !== partOf(to) && !isAllowed(partOf(from), { target: to, kind })
  const cell = (from: string, to: string): string => {
    const between = edges.filter((it) => roomOf(it.from) === from && roomOf(it.to) === to)
    return between.length === 0 ? '.' : `${between.length}${between.some(isWrong) ? '!' : ''}`
  }
  print(['', ...names].map((it) => it.slice(0, 9).padEnd(10)).join(''))
  for (const from of names) print([from, ...names.map((to) => cell(from, to))].map((it) => it.padEnd(10)).join(''))
  const wrong = edges.filter(isWrong)
  print('', `${wrong.length} imports against the rule (test/support/rooms.ts)`)
  if (lists) print(...wrong.map((it) => `  ${it.from} -> ${it.to} (${it.kind})`))
}

function printCircles(): void {
  const circles = findCircles(edges)
  heading('Circles of files, by value, type or lazy import')
  print(`${circles.length} circles, of ${circles.map((it) => it.length).join(', ') || 'no'} files`)
  if (lists) print(...circles.map((it) => `  ${it.slice(0, 8).join(', ')}${it.length > 8 ? ', …' : ''}`))
}

function printLazyImports(): void {
  heading('import() sites')
  const lazy = own.flatMap((source) =>
    importsOf(source)
      .filter(({ kind }) => kind === 'lazy')
      .map(() => roomOf(source.path)),
  )
  const byRoom = [...new Set(lazy)]
    .map((room) => ({ room, count: lazy.filter((it) => it === room).length }))
    .sort((one, other) => other.count - one.count)
  print(`${lazy.length} sites: ${byRoom.map(({ room, count }) => `${room} ${count}`).join(', ')}`)
}

function printCasts(): void {
  heading('Forced casts (as never, as any, as unknown as, @ts-expect-error)')
  const casts = own.map((source) => {
    let forced = source.text.match(/@ts-expect-error/g)?.length ?? 0
    let all = 0
    walk(source.program, (node) => {
      if (node.type !== 'TSAsExpression' || !isNode(node.typeAnnotation)) return
      const name = node.typeAnnotation.type
      if (
        name !== 'TSTypeReference' ||
        source.text.slice(node.typeAnnotation.start, node.typeAnnotation.end) !== 'const'
      )
        all++
      if (name === 'TSNeverKeyword' || name === 'TSAnyKeyword' || name === 'TSUnknownKeyword') forced++
    })
    return { path: source.path, forced, all, lines: source.lines }
  })
  const services = casts.filter((it) => it.path.startsWith('src/platform/services/'))
  const perThousand = (1000 * sum(services.map((it) => it.all))) / Math.max(1, sum(services.map((it) => it.lines)))
  print(
    `${sum(casts.map((it) => it.forced))} forced casts, ${sum(casts.map((it) => it.all))} casts in all; services: ${perThousand.toFixed(1)} casts for each 1000 lines`,
  )
  const most = casts.filter((it) => it.forced > 2).sort((a, b) => b.forced - a.forced)
  if (lists) print(...most.map((it) => `  ${it.path}: ${it.forced}`))
}

function printSizes(): void {
  heading('Small files whose only importer is in the same folder (under 30 lines), and long ones (over 500)')
  const small = own.filter((source) => {
    const users = new Set(edges.filter(({ to }) => to === source.path).map(({ from }) => from))
    return (
      source.lines < 30 && users.size === 1 && posix.dirname([...users][0] as string) === posix.dirname(source.path)
    )
  })
  print(`${small.length} small files (${percent(small.length, own.length)})`)
  if (lists) print(...small.map((it) => `  ${it.path}: ${it.lines}`))
  const firstComment = (text: string): string =>
    /\/\*\*\s*\n?\s*\*?\s*([^\n*]+)|\/\/ ?(.+)/.exec(text)?.slice(1).find(Boolean)?.trim() ?? ''
  for (const source of own.filter(({ lines }) => lines > 500))
    print(`${source.path}: ${source.lines} lines. ${firstComment(source.text)}`)
}

printTotals()
printImportTable()
printCircles()
printLazyImports()
printCasts()
printSizes()
