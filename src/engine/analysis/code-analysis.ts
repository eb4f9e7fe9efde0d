// Guesses from the text of a code step, without running it: what the sandbox lacks, and whether a test run may change something
// outside. A person is asked before a test run that may.

import { replaceQuoted } from '../expressions/quoted-text.ts'

/** Globals of Node and browsers that the sandbox does not have, each with what to use instead. */
const unavailableGlobals: Readonly<Record<string, string>> = {
  require: 'Packages are not available. Use fetch, crypto.subtle, URL, Buffer or a separate step.',
  process: 'Environment variables are not available. Pass values through the input of the step.',
  __dirname: 'Files are not available.',
  __filename: 'Files are not available.',
  FormData: 'Use an HTTP step with form data, or URLSearchParams.',
  Blob: 'Use Uint8Array or Buffer.',
  File: 'Use Uint8Array or Buffer.',
  FileReader: 'Use Uint8Array or Buffer.',
  WebSocket: 'Use fetch or an HTTP step.',
  XMLHttpRequest: 'Use fetch or an HTTP step.',
  EventSource: 'Use fetch or an HTTP step.',
  ReadableStream: 'Read the whole response body instead.',
  Worker: 'Threads are not available.',
  WebAssembly: 'Only JavaScript is supported.',
  window: 'Use globalThis.',
  document: 'Browser APIs are not available.',
  localStorage: 'Keep values with a storage step.',
  sessionStorage: 'Keep values with a storage step.',
  DOMParser: 'Browser APIs are not available.',
}

const withoutComments = (code: string): string =>
  replaceQuoted(code, 'code', (text, isComment) => (isComment ? '' : text))

/** Returns unavailable globals with alternatives, except those that the code tests with `typeof` or declares. */
export function findUnavailableGlobals(code: string): { readonly name: string; readonly instead: string }[] {
  const bareCode = replaceQuoted(code, 'code', () => "''")
  return Object.entries(unavailableGlobals).flatMap(([name, instead]) => {
    const isMentioned = new RegExp(String.raw`(?<![.\w$])${name}\b(?!\s*:)`).test(bareCode)
    const isGuarded = new RegExp(String.raw`\btypeof\s+\(?${name}\b`).test(bareCode)
    const isDeclared = new RegExp(
      String.raw`\b(?:const|let|var|function|class|import)\s+${name}\b|[{,(]\s*${name}\s*[,})=]`,
    ).test(bareCode)
    return isMentioned && !isGuarded && !isDeclared ? [{ name, instead }] : []
  })
}

/** Returns whether code may change remote data: it makes requests that are not all known to be GET or HEAD. */
export function mayChangeRemoteData(code: string): boolean {
  const bareCode = withoutComments(code)
  if (!/\bfetch\b/.test(bareCode)) return false
  const methods = [...bareCode.matchAll(/\bmethod\b['"]?\s*(?::\s*(['"`])(\w+)\1)?/g)].map(([, , name]) =>
    name?.toUpperCase(),
  )
  // Options that are a variable may contain any method.
  return methods.some((it) => it !== 'GET' && it !== 'HEAD') || /\bfetch\s*\([^,()]*,\s*[A-Za-z_$]/.test(bareCode)
}

/** Returns whether code makes requests. */
export const makesRequests = (code: string): boolean => /\bfetch\s*\(/.test(withoutComments(code))
