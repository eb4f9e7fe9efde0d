/** What a server must at least do: node:http that reads the request and gives one answer, the same bytes as the platform's. Run with `node -e`. */
export const bareServer = `
const { status, headers, body, port } = JSON.parse(process.env.BARE)
require('node:http').createServer((request, response) => {
  const answer = () => { response.writeHead(status, headers); response.end(body) }
  if (request.method === 'GET') return answer()
  request.resume()
  request.on('end', answer)
}).listen(port, '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
`

/** An answer of the platform, for the bare server to repeat. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
