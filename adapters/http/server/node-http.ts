/** Of `node:http`. Node 22 and newer load their WebSocket client for an import of it: 26 ms of CPU time and 10 MB. */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
