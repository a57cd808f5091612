/**
 * Loaded before the suite: its servers name no address to listen on, which would be every one of this machine.
 * Here they listen on the loopback address alone.
 */
import { Server } from 'node:net';

/** @type {any} */
const prototype = Server.prototype;
// `listen` with a host would look that up first, and some scenarios ask for the port at once.
const listenOn = prototype._listen2;

/** @this {Server} @param {string | null} address @param {number} port @param {number} type @param {any[]} rest */
prototype._listen2 = function (address, port, type, ...rest) {
  Reflect.apply(listenOn, this, address ? [address, port, type, ...rest] : ['127.0.0.1', port, 4, ...rest]);
};
