import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { arch, platform } from 'node:process'
import { gzipSync } from 'node:zlib'
import { NODE_LICENCE } from '../node-licence.mjs'
import { billOfMaterials, bundledPackages, checksums, sha256 } from './artefacts.ts'
import { releaseFolder } from './state.ts'

export interface ArchiveOptions {
  /** Folder of the repository, which was built. */
  readonly root: string
  /** Executable, with the licence of its Node beside it. */
  readonly binary: string
  /** Folder for the archive. */
  readonly out: string
  readonly now?: () => Date
}

/** Files of the repository by their paths in the archive. `man` and bash find theirs when `bin` is in PATH. */
const PLACES = {
  LICENSE: 'LICENSE',
  'THIRD-PARTY-LICENSES.txt': 'dist/THIRD-PARTY-LICENSES.txt',
  'share/man/man1': 'dist/man',
  'share/bash-completion/completions/parley': 'completions/parley.bash',
  'share/zsh/site-functions/_parley': 'completions/_parley',
  'share/fish/vendor_completions.d/parley.fish': 'completions/parley.fish',
  'share/powershell/parley.ps1': 'completions/parley.ps1',
}

const nameOf = (version: string): string => `parley-${version}-${platform}-${arch}`

/** Archives that become part of the release: those of executables that other machines built. */
export const executablesFolder = (root: string): string => join(releaseFolder(root), 'executables')

/** Returns whether an artefact is an executable of another system or processor, or about one. */
export const isOfOtherMachine = (file: string, version: string): boolean =>
  file.startsWith(`parley-${version}-`) && !file.startsWith(`${nameOf(version)}.`)

/**
 * Writes the archive of an executable for this system and processor, and its bill of materials, which lists Node too.
 * Returns the paths of both.
 */
export function buildArchive({ root, binary, out, now = () => new Date() }: ArchiveOptions): [string, string] {
  const { optionalDependencies: _, ...manifest } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const name = nameOf(manifest.version)
  const folder = mkdtempSync(join(tmpdir(), 'parley-archive-'))
  try {
    const place = (path: string) => {
      const file = join(folder, name, path)
      mkdirSync(dirname(file), { recursive: true })
      return file
    }
    copyFileSync(binary, place(`bin/${basename(binary)}`))
    copyFileSync(join(dirname(binary), NODE_LICENCE), place(NODE_LICENCE))
    for (const [path, file] of Object.entries(PLACES)) cpSync(join(root, file), place(path), { recursive: true })
    const packed = execFileSync('tar', ['--create', '--file', '-', '--directory', folder, name], { maxBuffer: 1e9 })
    const licences = (path: string) => bundledPackages(readFileSync(join(folder, name, path), 'utf8'))
    const [node] = licences(NODE_LICENCE)
    const materials = billOfMaterials(manifest, licences('THIRD-PARTY-LICENSES.txt'), () => '', now(), node)
    mkdirSync(out, { recursive: true })
    const [archive, list] = [join(out, `${name}.tar.gz`), join(out, `${name}.cdx.json`)]
    writeFileSync(archive, gzipSync(packed, { level: 9 }))
    writeFileSync(list, materials)
    return [archive, list]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes the checksums of an archive and its bill of materials, so that another machine can check what it received. */
export const writeSums = (files: readonly [string, string]): void =>
  writeFileSync(files[0].replace(/\.tar\.gz$/, '.sha256'), checksums(files))

/**
 * Copies the archives of other machines in a folder to the artefacts of a version. Throws where one is of another version, is missing or
 * differs from its checksum.
 */
export function addExecutables(from: string, version: string, folder: string): void {
  // The executable of this machine was built just now. One there is of an earlier try.
  const isWanted = (name: string) => name.endsWith('.sha256') && name !== `${nameOf(version)}.sha256`
  for (const sums of existsSync(from) ? readdirSync(from).filter(isWanted) : []) {
    if (!sums.startsWith(`parley-${version}-`))
      throw new Error(`${join(from, sums)} is not of version ${version}. Delete ${from}.`)
    for (const [, sum, name = ''] of readFileSync(join(from, sums), 'utf8').matchAll(/^(\w{64}) {2}(.+)$/gm)) {
      const file = join(from, name)
      if (!existsSync(file) || sha256(readFileSync(file)) !== sum)
        throw new Error(`${file} is missing or differs from its checksum in ${sums}. Build or download it again.`)
      copyFileSync(file, join(folder, `${name}.tmp`))
      renameSync(join(folder, `${name}.tmp`), join(folder, name))
    }
  }
}
