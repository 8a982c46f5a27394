/** A provider with which a model reference may begin. */
export interface Provider {
  /** Address of its API. */
  readonly baseUrl: string;
  /** Variable that contains its key; absent for servers without keys. */
  readonly keyName?: string;
  /** `chat` when absent. */
  readonly protocol?: 'chat' | 'responses';
}

/** Known providers by name; any other server is specified by its address. */
export const providers: Readonly<Record<string, Provider>> = {
  openai: { baseUrl: 'https://api.openai.com/v1', keyName: 'OPENAI_API_KEY' },
  'openai-responses': { baseUrl: 'https://api.openai.com/v1', keyName: 'OPENAI_API_KEY', protocol: 'responses' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', keyName: 'OPENROUTER_API_KEY' },
  anthropic: { baseUrl: 'https://api.anthropic.com/v1', keyName: 'ANTHROPIC_API_KEY' },
  gemini: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', keyName: 'GEMINI_API_KEY' },
  deepseek: { baseUrl: 'https://api.deepseek.com/v1', keyName: 'DEEPSEEK_API_KEY' },
  moonshot: { baseUrl: 'https://api.moonshot.ai/v1', keyName: 'MOONSHOT_API_KEY' },
  mistral: { baseUrl: 'https://api.mistral.ai/v1', keyName: 'MISTRAL_API_KEY' },
  groq: { baseUrl: 'https://api.groq.com/openai/v1', keyName: 'GROQ_API_KEY' },
  cerebras: { baseUrl: 'https://api.cerebras.ai/v1', keyName: 'CEREBRAS_API_KEY' },
  xai: { baseUrl: 'https://api.x.ai/v1', keyName: 'XAI_API_KEY' },
  zai: { baseUrl: 'https://api.z.ai/api/paas/v4', keyName: 'ZAI_API_KEY' },
  dashscope: { baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', keyName: 'DASHSCOPE_API_KEY' },
  together: { baseUrl: 'https://api.together.xyz/v1', keyName: 'TOGETHER_API_KEY' },
  fireworks: { baseUrl: 'https://api.fireworks.ai/inference/v1', keyName: 'FIREWORKS_API_KEY' },
  perplexity: { baseUrl: 'https://api.perplexity.ai', keyName: 'PERPLEXITY_API_KEY' },
  github: { baseUrl: 'https://models.github.ai/inference', keyName: 'GITHUB_API_KEY' },
  nvidia_nim: { baseUrl: 'https://integrate.api.nvidia.com/v1', keyName: 'NVIDIA_NIM_API_KEY' },
  huggingface: { baseUrl: 'https://router.huggingface.co/v1', keyName: 'HF_TOKEN' },
  cohere: { baseUrl: 'https://api.cohere.ai/compatibility/v1', keyName: 'COHERE_API_KEY' },
  openhands: { baseUrl: 'https://llm-proxy.app.all-hands.dev/v1', keyName: 'OPENHANDS_API_KEY' },
  ollama: { baseUrl: 'http://localhost:11434/v1' },
  lmstudio: { baseUrl: 'http://localhost:1234/v1' },
  vllm: { baseUrl: 'http://localhost:8000/v1' },
  llamacpp: { baseUrl: 'http://localhost:8080/v1' },
};
