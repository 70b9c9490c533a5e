import Database from 'better-sqlite3'

/** A process that takes the write lock of a database, reports it, and holds it until its input ends. */
const db = new Database(process.argv[2])
db.exec('BEGIN IMMEDIATE')
process.stdout.write('locked\n')
process.stdin.resume().once('end', () => db.close())
