// Uploads the artefacts of the tag of this job to its release: npm run release:upload. Needs GH_TOKEN. See
// docs/releasing.md.
import { join } from 'node:path'
import { env, exit, stderr, stdout } from 'node:process'
import { upload } from './release/upload.ts'

const required = (name: string): string => {
  const value = env[name]
  if (!value) throw new Error(`${name} is not set. A job of the release workflow has it.`)
  return value
}

try {
  await upload({
    root: join(import.meta.dirname, '..'),
    api: required('GITHUB_API_URL'),
    repository: required('GITHUB_REPOSITORY'),
    token: required('GH_TOKEN'),
    tag: required('GITHUB_REF_NAME'),
    say: (line) => stdout.write(`${line}\n`),
  })
} catch (error) {
  stderr.write(`release: ${(error as Error).message}\n`)
  exit(1)
}
