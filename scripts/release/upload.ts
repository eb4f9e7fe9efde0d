import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Artefact, requireChecksums } from './artefacts.ts'
import { notesOf } from './changelog.ts'

export interface UploadOptions {
  /** Folder of the repository, whose folder `release` has the artefacts. */
  readonly root: string
  /** Base URL of the API of the forge. */
  readonly api: string
  /** `<owner>/<repository>`. */
  readonly repository: string
  readonly token: string
  /** Tag of the job. */
  readonly tag: string
  readonly say: (line: string) => void
}

interface Asset {
  readonly id: number
  readonly name: string
  readonly state: string
  readonly size: number
  /** `sha256:` and the checksum. A forge that does not know it leaves it out. */
  readonly digest?: string | null
}

interface ForgeRelease {
  readonly id: number
  readonly tag_name: string
  readonly draft: boolean
  readonly upload_url: string
}

/**
 * Uploads the artefacts of a version to its release. The release is a draft, which nobody else sees, until it has every
 * file: an interrupted upload is resumed with the files that are missing. Throws where an artefact is not the one that
 * was checked, and where the published release has other files.
 */
export async function upload(options: UploadOptions): Promise<void> {
  const { root, tag, say } = options
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  if (tag !== `v${version}`) throw new Error(`The tag ${tag} is not that of version ${version}.`)
  const files = requireChecksums(join(root, 'release', version))
  const release = await findRelease(options)
  if (release && !release.draft) return requireSameFiles(await assetsOf(options, release), files, tag, say)
  const draft = release ?? (await createDraft(options, version))
  const present = await assetsOf(options, draft)
  for (const file of files) {
    const found = present.find((asset) => asset.name === file.name)
    if (found && isSame(found, file)) {
      say(`${file.name} is there`)
      continue
    }
    // What an interrupted upload left.
    if (found) await ask(options, 'DELETE', `/releases/assets/${found.id}`)
    await send(options, draft, file)
    say(`${file.name} uploaded`)
  }
  const problem = difference(await assetsOf(options, draft), files)
  if (problem) throw new Error(`Not published: ${problem}. Run it again, or delete the draft of ${tag}.`)
  await ask(options, 'PATCH', `/releases/${draft.id}`, { draft: false })
  say(`Published the release ${tag}.`)
}

const isSame = (asset: Asset, file: Artefact): boolean =>
  asset.state === 'uploaded' &&
  asset.size === file.bytes.length &&
  (!asset.digest || asset.digest === `sha256:${file.sha256}`)

/** Returns in which file a release differs from the artefacts, or undefined. */
function difference(assets: readonly Asset[], files: readonly Artefact[]): string | undefined {
  const wrong = files.find((file) => !assets.some((asset) => asset.name === file.name && isSame(asset, file)))
  if (wrong) return `its ${wrong.name} is missing or another file`
  const more = assets.find((asset) => !files.some((file) => file.name === asset.name))
  return more && `it has ${more.name}, which is not an artefact`
}

function requireSameFiles(
  assets: readonly Asset[],
  files: readonly Artefact[],
  tag: string,
  say: (line: string) => void,
): void {
  const problem = difference(assets, files)
  if (problem) throw new Error(`The release ${tag} is published, and ${problem}. Nothing was changed.`)
  say(`The release ${tag} is published already.`)
}

/** Drafts have no address by their tag, so that the list is searched. */
async function findRelease(options: UploadOptions): Promise<ForgeRelease | undefined> {
  const found = await pages<ForgeRelease>(options, '/releases')
  return found.find((release) => release.tag_name === options.tag)
}

const createDraft = (options: UploadOptions, version: string): Promise<ForgeRelease> =>
  ask(options, 'POST', '/releases', {
    tag_name: options.tag,
    name: options.tag,
    body: notesOf(readFileSync(join(options.root, 'CHANGELOG.md'), 'utf8'), version),
    draft: true,
  }) as Promise<ForgeRelease>

const assetsOf = (options: UploadOptions, { id }: ForgeRelease): Promise<Asset[]> =>
  pages(options, `/releases/${id}/assets`)

async function pages<T>(options: UploadOptions, path: string): Promise<T[]> {
  const all: T[] = []
  for (let page = 1; ; page++) {
    const some = (await ask(options, 'GET', `${path}?per_page=100&page=${page}`)) as T[]
    all.push(...some)
    if (some.length < 100) return all
  }
}

const send = ({ token }: UploadOptions, { upload_url }: ForgeRelease, { name, bytes }: Artefact): Promise<unknown> =>
  request(`${upload_url.replace(/\{.*/, '')}?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { ...headersOf(token), 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  })

const ask = (
  { api, repository, token }: UploadOptions,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> =>
  request(`${api}/repos/${repository}${path}`, {
    method,
    headers: { ...headersOf(token), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

const headersOf = (token: string) => ({ authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' })

async function request(url: string, options: RequestInit & { readonly method: string }): Promise<unknown> {
  const { pathname } = new URL(url)
  const response = await fetch(url, options).catch((error: Error & { cause?: { code?: string } }) => {
    throw new Error(
      `${options.method} ${pathname} failed: ${error.cause?.code ?? error.message}. Run it again to resume.`,
    )
  })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`${options.method} ${pathname} failed: HTTP ${response.status} ${text.slice(0, 200)}`)
  return text === '' ? undefined : JSON.parse(text)
}
