/** What a run says once it is under load, and each ten seconds; of one of several k6 runs without the length. */
export const UNDER_LOAD = /\d:\d\d( of [\d:]+)? {2}\S/;
