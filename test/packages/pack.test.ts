import { expect, test } from 'vitest'
import { publishedManifest } from '../../scripts/pack.mjs'
import { read } from '../support/sources.ts'

test('the published package.json has nothing that only this repository uses', () => {
  const manifest = JSON.parse(read('package.json'))
  const published = publishedManifest(manifest)
  const gone = Object.keys(manifest).filter((field) => !(field in published))
  expect(gone).toEqual(['scripts', 'devDependencies', 'allowScripts'])
  expect(published).toMatchObject({ bin: manifest.bin, exports: manifest.exports, engines: manifest.engines })
})
