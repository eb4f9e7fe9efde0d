// Uploads the artefacts of the tag of this job to its release: node scripts/release/upload.mjs. Needs gh, and GH_TOKEN.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const tag = env.GITHUB_REF_NAME ?? `v${version}`
if (tag !== `v${version}`) throw new Error(`The tag ${tag} is not that of version ${version}`)
const folder = join('release', version)
const files = readdirSync(folder).map((file) => join(folder, file))
execFileSync(
  'gh',
  ['release', 'create', tag, '--verify-tag', '--title', tag, '--notes', `See CHANGELOG.md.`, ...files],
  {
    stdio: 'inherit',
  },
)
