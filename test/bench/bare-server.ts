/**
 * Floor of any server: node:http that reads the request and sends one response, the same bytes as the platform. Run
 * with `node -e`.
 */
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

/** Response of the platform that the bare server repeats. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
