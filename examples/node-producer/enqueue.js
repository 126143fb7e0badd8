'use strict';

/**
 * node enqueue.js <mysql://user:password@host:port/database> <type> <payload as JSON> [unique key]
 */
const mysql = require('mysql2/promise');
const { enqueue, enqueueOnce } = require('./jobqueue');

async function main([url, type, json, uniqueKey]) {
  const connection = await mysql.createConnection({ uri: url, supportBigNumbers: true });
  try {
    const payload = JSON.parse(json);
    if (uniqueKey === undefined) {
      console.log(`${await enqueue(connection, type, payload)} added`);
    } else {
      const job = await enqueueOnce(connection, type, uniqueKey, payload);
      console.log(`${job.id} ${job.added ? 'added' : 'was there'}`);
    }
  } finally {
    await connection.end();
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
