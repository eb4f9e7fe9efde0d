import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { checksums, sha256 } from '../../../scripts/release/artefacts.ts'
import { upload } from '../../../scripts/release/upload.ts'
import { afterFile } from '../../support/cleanup.ts'

interface Asset {
  id: number
  name: string
  state: string
  size: number
  digest: string
}

/** A forge with one repository. `failAt` ends the connection of a request that contains the text, after its work. */
async function newForge() {
  const releases: { id: number; tag_name: string; draft: boolean; body: string; upload_url: string }[] = []
  const assets = new Map<number, Asset[]>()
  const requests: string[] = []
  const faults = { failAt: '', half: '' }
  let ids = 0
  const answer = async (request: IncomingMessage): Promise<[number, unknown]> => {
    const url = new URL(request.url ?? '', 'http://forge')
    const body = await buffer(request)
    const path = url.pathname.replace('/repos/clinic/parley', '')
    requests.push(`${request.method} ${path}${url.searchParams.get('name') ?? ''}`)
    if (request.headers.authorization !== 'Bearer token') return [401, { message: 'Bad credentials' }]
    const [, id = ''] = /^\/releases\/(?:assets\/)?(\d+)/.exec(path) ?? []
    if (request.method === 'GET' && path === '/releases') return [200, releases]
    if (request.method === 'POST' && path === '/releases') {
      const release = { ...JSON.parse(body.toString()), id: ++ids }
      release.upload_url = `${base}/repos/clinic/parley/releases/${release.id}/assets{?name,label}`
      releases.push(release)
      assets.set(release.id, [])
      return [201, release]
    }
    if (request.method === 'GET') return [200, assets.get(Number(id))]
    if (request.method === 'DELETE') {
      for (const list of assets.values()) {
        const at = list.findIndex((asset) => asset.id === Number(id))
        if (at >= 0) list.splice(at, 1)
      }
      return [204, undefined]
    }
    if (request.method === 'PATCH') {
      Object.assign(releases.find((release) => release.id === Number(id)) ?? {}, JSON.parse(body.toString()))
      return [200, {}]
    }
    const name = url.searchParams.get('name') ?? ''
    const list = assets.get(Number(id)) ?? []
    if (list.some((asset) => asset.name === name)) return [422, { message: 'already_exists' }]
    const state = faults.half === name ? 'starter' : 'uploaded'
    list.push({ id: ++ids, name, state, size: body.length, digest: `sha256:${sha256(body)}` })
    return [201, {}]
  }
  const server = createServer((request, response) => {
    void answer(request).then(([status, value]) => {
      if (faults.failAt !== '' && requests.at(-1)?.includes(faults.failAt)) return request.socket.destroy()
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(value === undefined ? '' : JSON.stringify(value))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  afterFile(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { base, releases, assets: () => [...assets.values()].flat(), requests, faults }
}

const artefacts = ['parley-cli-0.2.0.tgz', 'provenance.intoto.json', 'sbom.cdx.json']
const all = ['SHA256SUMS', ...artefacts]

function newTree() {
  const root = mkdtempSync(join(tmpdir(), 'parley-upload-'))
  afterFile(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, 'release/0.2.0')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"version":"0.2.0"}')
  writeFileSync(join(root, 'CHANGELOG.md'), '# Changelog\n\n## [0.2.0] - 2026-11-29\n\n### numbers\n\n- A budget.\n')
  for (const name of artefacts) writeFileSync(join(folder, name), `content of ${name}`)
  writeFileSync(join(folder, 'SHA256SUMS'), checksums(artefacts.map((name) => join(folder, name))))
  return { root, folder }
}

function newUpload(root: string, api: string, more: { token?: string; tag?: string } = {}) {
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  return {
    lines,
    run: () => upload({ root, api, repository: 'clinic/parley', token: 'token', tag: 'v0.2.0', say, ...more }),
  }
}

test('a release is public only after all artefacts are there, with the notes of the changelog', async () => {
  const forge = await newForge()
  const { root, folder } = newTree()
  await newUpload(root, forge.base).run()
  expect(forge.releases).toMatchObject([{ tag_name: 'v0.2.0', draft: false, body: '### numbers\n\n- A budget.' }])
  expect(forge.assets().map(({ name, digest }) => [name, digest])).toEqual(
    all.map((name) => [name, `sha256:${sha256(readFileSync(join(folder, name)))}`]),
  )
  expect(forge.requests.at(-1)).toBe('PATCH /releases/1')

  const again = newUpload(root, forge.base)
  const before = forge.requests.length
  await again.run()
  expect(again.lines).toEqual(['The release v0.2.0 is published already.'])
  expect(forge.requests.slice(before).filter((line) => !line.startsWith('GET'))).toEqual([])
})

test.each(['POST /releases', ...all.map((name) => `assets${name}`), 'PATCH'])(
  'an upload that loses the answer at "%s" is resumed, and nothing is sent or published twice',
  async (failAt) => {
    const forge = await newForge()
    const { root } = newTree()
    forge.faults.failAt = failAt
    await expect(newUpload(root, forge.base).run()).rejects.toThrow('Run it again to resume.')
    expect(forge.releases.map(({ draft }) => draft)).toEqual([failAt !== 'PATCH'])
    forge.faults.failAt = ''
    await newUpload(root, forge.base).run()
    expect(forge.releases).toMatchObject([{ draft: false }])
    expect(
      forge
        .assets()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(all)
    expect(forge.requests.filter((line) => line.startsWith('POST'))).toHaveLength(1 + all.length)
  },
)

test('an incomplete file of an interrupted upload is replaced', async () => {
  const forge = await newForge()
  const { root } = newTree()
  forge.faults.half = 'sbom.cdx.json'
  await expect(newUpload(root, forge.base).run()).rejects.toThrow(
    'Not published: its sbom.cdx.json is missing or another file.',
  )
  expect(forge.releases).toMatchObject([{ draft: true }])
  forge.faults.half = ''
  await newUpload(root, forge.base).run()
  expect(forge.releases).toMatchObject([{ draft: false }])
  expect(forge.assets().map(({ state }) => state)).toEqual(all.map(() => 'uploaded'))
})

test('an artefact that differs from its checksum, is missing or not named is refused by name before anything is sent', async () => {
  const forge = await newForge()
  for (const [change, message] of [
    [
      (folder: string) => writeFileSync(join(folder, 'sbom.cdx.json'), 'half'),
      'sbom.cdx.json differs from its checksum in SHA256SUMS.',
    ],
    [(folder: string) => rmSync(join(folder, 'sbom.cdx.json')), 'sbom.cdx.json is in SHA256SUMS and not in'],
    [(folder: string) => writeFileSync(join(folder, 'more.txt'), ''), 'more.txt is not in SHA256SUMS.'],
    [(folder: string) => rmSync(join(folder, 'SHA256SUMS')), 'has no SHA256SUMS. Make the release first'],
  ] as const) {
    const { root, folder } = newTree()
    change(folder)
    await expect(newUpload(root, forge.base).run()).rejects.toThrow(message)
  }
  expect(forge.requests).toEqual([])
})

test('a published release with other files is not changed', async () => {
  const forge = await newForge()
  const { root, folder } = newTree()
  await newUpload(root, forge.base).run()
  writeFileSync(join(folder, 'sbom.cdx.json'), 'another build')
  writeFileSync(join(folder, 'SHA256SUMS'), checksums(artefacts.map((name) => join(folder, name))))
  const before = forge.requests.length
  await expect(newUpload(root, forge.base).run()).rejects.toThrow(
    /The release v0\.2\.0 is published, and its \S+ is missing or another file\. Nothing was changed\./,
  )
  expect(forge.requests.slice(before).filter((line) => !line.startsWith('GET'))).toEqual([])
})

test('a tag of another version, a wrong token and no network are errors that say so', async () => {
  const forge = await newForge()
  const { root } = newTree()
  await expect(newUpload(root, forge.base, { tag: 'v9.9.9' }).run()).rejects.toThrow(
    'The tag v9.9.9 is not that of version 0.2.0.',
  )
  await expect(newUpload(root, forge.base, { token: 'wrong' }).run()).rejects.toThrow('HTTP 401')
  await expect(newUpload(root, 'http://127.0.0.1:9').run()).rejects.toThrow(/^GET \S+ failed: .*Run it again to resume/)
  expect(forge.releases).toEqual([])
})
