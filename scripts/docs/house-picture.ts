import { partOf } from '../../test/support/rooms.ts'
import { importsOf, sourcesIn } from '../../test/support/sources.ts'

interface Room {
  readonly name: string
  readonly files: number
  /** Rooms it imports, when a file is loaded. */
  readonly uses: readonly string[]
}

/** Rooms without a place in the picture: entry files, generated files, and helpers that every room may use. */
const hidden = new Set(['generate', 'generated', 'node', 'inspector/page'])

/** A room of the picture: parts of `platform` are one. */
const roomOf = (path: string): string => partOf(path).replace(/^platform\/.*/, 'platform')

/** Reads the rooms of src, their sizes, and which imports which, as `npm run structure` does. */
function readRooms(): Room[] {
  const rooms = new Map<string, { files: number; uses: Set<string> }>()
  const sources = sourcesIn('src').filter(({ path }) => !roomOf(path).endsWith('.ts') && !hidden.has(roomOf(path)))
  for (const { path } of sources) {
    const room = rooms.get(roomOf(path)) ?? { files: 0, uses: new Set() }
    room.files++
    rooms.set(roomOf(path), room)
  }
  for (const source of sources)
    for (const { target, kind } of importsOf(source)) {
      const to = target.startsWith('src/') ? roomOf(target) : ''
      if (kind === 'static' && rooms.has(to) && to !== roomOf(source.path)) rooms.get(roomOf(source.path))?.uses.add(to)
    }
  return [...rooms].map(([name, { files, uses }]) => ({ name, files, uses: [...uses] }))
}

/** Returns the rooms a room reaches, itself included. A circle of rooms is followed once. */
function reachOf(name: string, rooms: ReadonlyMap<string, Room>, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const it of rooms.get(name)?.uses ?? []) reachOf(it, rooms, seen)
  return seen
}

const boxWidth = 150
const boxHeight = 46
const gap = 26
const rowHeight = 96
const width = 900

/** Returns the picture of the rooms of src in SVG. A line goes to the rooms below that a room uses directly. */
export function housePicture(): string {
  const rooms = new Map(readRooms().map((it) => [it.name, it]))
  const reach = new Map([...rooms.keys()].map((name) => [name, reachOf(name, rooms)]))
  const isBelow = (name: string, of: string): boolean =>
    name !== of && reach.get(of)?.has(name) === true && !reach.get(name)?.has(of)
  const level = (name: string): number =>
    1 + Math.max(-1, ...[...rooms.keys()].filter((it) => isBelow(it, name)).map(level))
  const levels = [...rooms.keys()].map((name) => ({ name, level: level(name) }))
  const top = Math.max(...levels.map((it) => it.level))
  const height = (top + 1) * rowHeight
  const places = new Map<string, { x: number; y: number }>()
  for (let n = 0; n <= top; n++) {
    const row = levels.filter((it) => it.level === n).map((it) => it.name)
    const left = (width - row.length * (boxWidth + gap) + gap) / 2
    row.sort().forEach((name, column) => {
      places.set(name, { x: left + column * (boxWidth + gap), y: (top - n) * rowHeight + 24 })
    })
  }
  // A line that goes through a room in between is left out.
  const lines = [...rooms.values()].flatMap(({ name, uses }) =>
    uses
      .filter(
        (it) => isBelow(it, name) && !uses.some((other) => other !== it && isBelow(other, name) && isBelow(it, other)),
      )
      .map((it) => {
        const [from, to] = [places.get(name), places.get(it)]
        if (!from || !to) return ''
        return `<line x1="${from.x + boxWidth / 2}" y1="${from.y + boxHeight}" x2="${to.x + boxWidth / 2}" y2="${to.y - 3}" marker-end="url(#arrow)"/>`
      }),
  )
  const boxes = [...rooms.values()].map(({ name, files }) => {
    const { x, y } = places.get(name) ?? { x: 0, y: 0 }
    return `<rect x="${x}" y="${y}" width="${boxWidth}" height="${boxHeight}" rx="8" fill="#2b3447" stroke="#7f8ea8"/><text x="${x + boxWidth / 2}" y="${y + 20}" fill="#ffffff" font-weight="600">${name}</text><text x="${x + boxWidth / 2}" y="${y + 37}" fill="#c3ccdb" font-size="12">${files} files</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="14" text-anchor="middle">
<title>The rooms of the sources and their imports</title>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#8fb8de"/></marker></defs>
<rect width="${width}" height="${height}" rx="10" fill="#1c2230"/>
<g stroke="#8fb8de" stroke-width="1.5">${lines.join('')}</g>
${boxes.join('\n')}
</svg>
`
}
