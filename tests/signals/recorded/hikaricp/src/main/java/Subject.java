import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import com.zaxxer.hikari.metrics.prometheus.PrometheusMetricsTrackerFactory;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.exporter.common.TextFormat;
import io.prometheus.client.hotspot.DefaultExports;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;

/**
 * Two pools of HikariCP of four connections each, one with Micrometer's metrics (as Spring Boot, Quarkus and Micronaut
 * export them) at /micrometer, one with those of the older simpleclient at /simpleclient. Of each two connections are
 * always out, two more are borrowed and given back twenty times a second, and from /wait on six callers want four.
 */
public class Subject {
  private static final int SIZE = 4;

  public static void main(String[] arguments) throws Exception {
    PrometheusMeterRegistry micrometer = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new ProcessorMetrics().bindTo(micrometer);
    new FileDescriptorMetrics().bindTo(micrometer);
    new JvmMemoryMetrics().bindTo(micrometer);
    new JvmGcMetrics().bindTo(micrometer);
    HikariDataSource modern = pool("modern");
    modern.setMetricsTrackerFactory(new MicrometerMetricsTrackerFactory(micrometer));

    CollectorRegistry simple = new CollectorRegistry();
    DefaultExports.register(simple);
    HikariDataSource older = pool("older");
    older.setMetricsTrackerFactory(new PrometheusMetricsTrackerFactory(simple));

    for (HikariDataSource pool : new HikariDataSource[] {modern, older}) {
      pool.getConnection();
      pool.getConnection();
      inBackground(() -> borrow(pool, 25, 25));
    }
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
    server.createContext("/micrometer", exchange -> answer(exchange, micrometer.scrape()));
    server.createContext("/simpleclient", exchange -> {
      StringWriter text = new StringWriter();
      TextFormat.write004(text, simple.metricFamilySamples());
      answer(exchange, text.toString());
    });
    server.createContext("/wait", exchange -> {
      for (HikariDataSource pool : new HikariDataSource[] {modern, older}) {
        for (int n = 0; n < SIZE; n++) inBackground(() -> borrow(pool, 60_000, 0));
      }
      answer(exchange, "waiting\n");
    });
    server.start();
  }

  private static HikariDataSource pool(String name) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(name);
    config.setJdbcUrl("jdbc:h2:mem:" + name);
    config.setMaximumPoolSize(SIZE);
    config.setConnectionTimeout(60_000);
    return new HikariDataSource(config);
  }

  private static void borrow(HikariDataSource pool, long heldMs, long pauseMs) {
    byte[][] garbage = new byte[16][];
    for (int n = 0; ; n++) {
      try (Connection connection = pool.getConnection()) {
        garbage[n % garbage.length] = new byte[1 << 20];
        Thread.sleep(heldMs);
      } catch (Exception failure) {
        throw new IllegalStateException(failure);
      }
      try {
        Thread.sleep(pauseMs);
      } catch (InterruptedException ended) {
        return;
      }
    }
  }

  private static void inBackground(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
  }

  private static void answer(HttpExchange exchange, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", TextFormat.CONTENT_TYPE_004);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
