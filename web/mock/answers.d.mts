export const kThought: string;
export const kAnswer: string;
export const kThoughtZh: string;
export const kAnswerZh: string;
export const kHostile: string;
